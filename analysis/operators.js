/** What the operators of an objective mean. @type {Record<string, (observed: number, limit: number) => boolean>} */
export const OPERATORS = {
  '<': (observed, limit) => observed < limit,
  '<=': (observed, limit) => observed <= limit,
  '>': (observed, limit) => observed > limit,
  '>=': (observed, limit) => observed >= limit,
};
