/** @param digits after the point; 3 keeps a millisecond figure to the microsecond */
export function round(value: number, digits: number = 3): number {
  return Number(value.toFixed(digits));
}
