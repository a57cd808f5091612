import { countsUpTo, optional, positiveNumber } from '../../contract/types.js';

const MAX_INSTANCES = 32;

export const variables = {
  INSTANCES: {
    type: countsUpTo(MAX_INSTANCES),
    default: '1 2 4',
    help: 'scaling: numbers of reference target instances to measure',
  },
  PRICE_PER_INSTANCE_HOUR: {
    type: optional(positiveNumber),
    help: 'scaling: price of an instance per hour in dollars; adds cost columns',
  },
};
