import { positiveNumber, words } from '../../contract/types.js';

export const variables = {
  FAULTS: {
    type: words,
    help: 'chaos: faults to inject, see docs/tests.md [all; smoke: four faults]',
    valid: 'fault names separated by spaces',
  },
  RECOVERY_S: {
    type: positiveNumber,
    default: '5',
    help: 'chaos: maximum seconds until the server is back to normal after a fault is removed',
  },
};
