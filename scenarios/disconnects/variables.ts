import { optional, positiveInteger } from '../../contract/types.js';

export const variables = {
  CLIENTS: {
    type: optional(positiveInteger),
    help: 'disconnects: number of clients, half of which leave [40 at smoke, 1,000, 4,000 at full]',
  },
};
