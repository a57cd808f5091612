import { optional, positiveInteger } from '../../contract/types.js';

export const variables = {
  STREAMS: {
    type: optional(positiveInteger),
    help: 'streams: maximum number of held streams, in steps from 10 up [100 at smoke, 1,000, 10,000 at full]',
  },
};
