import { countsUpTo, optional, positiveInteger } from '../../contract/types.js';

const MAX_AT_ONCE = 64;

export const variables = {
  STARTS: {
    type: optional(positiveInteger),
    help: 'cold-start: how often the server is started for each of its first answers [20; 4 at smoke]',
  },
  AT_ONCE: {
    type: countsUpTo(MAX_AT_ONCE),
    default: '1 4 16',
    help: 'cold-start: how many processes of TARGET_COMMAND start at once, separated by spaces',
  },
};
