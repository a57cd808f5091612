import { countsUpTo, optional, positiveNumber } from '../../contract/types.js';

const MAX_INSTANCES = 32;

export const variables = {
  INSTANCES: {
    type: countsUpTo(MAX_INSTANCES),
    default: '1 2 4',
    help: 'scaling: numbers of instances of the reference target, separated by spaces',
  },
  PRICE_PER_INSTANCE_HOUR: {
    type: optional(positiveNumber),
    help: 'scaling: what an instance costs an hour, in dollars, for the columns with costs',
  },
};
