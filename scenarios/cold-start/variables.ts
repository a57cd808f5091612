import { countsUpTo, optional, positiveInteger } from '../../contract/types.js';

const MAX_AT_ONCE = 64;

export const variables = {
  STARTS: {
    type: optional(positiveInteger),
    help: 'cold-start: number of server starts per measured answer (tools/list, first call) [20; smoke: 4]',
  },
  AT_ONCE: {
    type: countsUpTo(MAX_AT_ONCE),
    default: '1 4 16',
    help: 'cold-start: numbers of TARGET_COMMAND processes to start concurrently',
  },
};
