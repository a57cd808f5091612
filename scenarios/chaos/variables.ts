import { positiveNumber, words } from '../../contract/types.js';

export const variables = {
  FAULTS: {
    type: words,
    help: 'chaos: which faults, separated by spaces (docs/tests.md has them) [all; four of them at smoke]',
    valid: 'names of faults, separated by spaces',
  },
  RECOVERY_S: {
    type: positiveNumber,
    default: '5',
    help: 'chaos: seconds until the server has to be normal after a fault was removed',
  },
};
