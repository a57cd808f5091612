/** Finds an argument that accepts long text, by validating the arguments with such a text. */

/** Lengths that must be valid: the smallest and the largest of the test payload. */
const LENGTHS = [1024, 32 * 1024];
/** Maximum number of positions to try. */
const MAX_PLACES = 50;

type Parent = Record<string, unknown>;

/**
 * @param args valid arguments
 * @returns a JSON pointer; undefined if no text and no optional member may be that long
 */
export function longText(
  schema: Record<string, unknown>,
  args: Parent,
  isValid: (args: unknown) => boolean,
): string | undefined {
  const copy: Parent = structuredClone(args);
  const places = [...textsIn(copy, ''), ...optionalIn(schema, copy)].slice(0, MAX_PLACES);
  return places.find(({ parent, member }) => takesLong(parent, member, () => isValid(copy)))?.pointer;
}

interface Place {
  parent: Parent;
  member: string;
  pointer: string;
}

/** Texts in the arguments, including nested ones. */
function textsIn(parent: Parent, path: string): Place[] {
  return Object.entries(parent).flatMap(([member, value]) => {
    const pointer = `${path}/${escaped(member)}`;
    if (typeof value === 'string') return [{ parent, member, pointer }];
    return typeof value === 'object' && value !== null ? textsIn(value as Parent, pointer) : [];
  });
}

/** Optional members of the schema that the arguments do not set. */
function optionalIn({ properties }: Record<string, unknown>, parent: Parent): Place[] {
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.keys(properties)
    .filter((member) => !Object.hasOwn(parent, member))
    .map((member) => ({ parent, member, pointer: `/${escaped(member)}` }));
}

/** Escapes a member for a JSON pointer (RFC 6901). */
const escaped = (member: string) => member.replaceAll('~', '~0').replaceAll('/', '~1');

function takesLong(parent: Parent, member: string, isValid: () => boolean): boolean {
  const before = Object.getOwnPropertyDescriptor(parent, member);
  const takes = LENGTHS.every((length) => {
    const value = 'x'.repeat(length);
    Object.defineProperty(parent, member, { value, configurable: true, enumerable: true, writable: true });
    return isValid();
  });
  if (before) Object.defineProperty(parent, member, before);
  else delete parent[member];
  return takes;
}
