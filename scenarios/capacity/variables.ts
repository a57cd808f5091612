import { oneOf } from '../../contract/types.js';
import { CAPACITY_OF } from './capacity-of.ts';

export const variables = {
  CAPACITY_OF: {
    type: oneOf(CAPACITY_OF),
    default: 'rate',
    help: 'capacity: what to search for: the highest rate, or the maximum number of TARGET_COMMAND processes, one per VU, on this machine',
  },
};
