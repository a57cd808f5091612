import { optional, positiveInteger } from '../../contract/types.js';

export const variables = {
  CLIENTS: {
    type: optional(positiveInteger),
    help: 'disconnects: number of clients; half of them leave [smoke: 40; quick: 1,000; full: 4,000]',
  },
};
