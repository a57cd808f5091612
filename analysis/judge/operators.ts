/** What the operators of an objective mean. */
export const OPERATORS: Record<string, (observed: number, limit: number) => boolean> = {
  '<': (observed, limit) => observed < limit,
  '<=': (observed, limit) => observed <= limit,
  '>': (observed, limit) => observed > limit,
  '>=': (observed, limit) => observed >= limit,
};
