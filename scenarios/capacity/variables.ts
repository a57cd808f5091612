import { oneOf } from '../../contract/types.js';
import { CAPACITY_OF } from './capacity-of.ts';

export const variables = {
  CAPACITY_OF: {
    type: oneOf(CAPACITY_OF),
    default: 'rate',
    help: 'capacity: what is searched for: the highest rate, or how many processes of TARGET_COMMAND, one for each VU, this machine holds',
  },
};
