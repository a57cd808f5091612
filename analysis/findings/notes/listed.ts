const MAX_LISTED = 12;

/** @returns the first names, and the number of the others */
export function listed(names: string[]): string {
  const rest = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  return `${names.slice(0, MAX_LISTED).join(', ')}${rest}`;
}
