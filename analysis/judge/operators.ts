/** The operators of objectives. */
export const OPERATORS: Record<string, (observed: number, limit: number) => boolean> = {
  '<': (observed, limit) => observed < limit,
  '<=': (observed, limit) => observed <= limit,
  '>': (observed, limit) => observed > limit,
  '>=': (observed, limit) => observed >= limit,
};
