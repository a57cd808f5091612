import { countsUpTo, positiveNumber } from '../../contract/types.js';

const MAX_SESSIONS = 999_999;

export const variables = {
  CONNECTIONS: {
    type: countsUpTo(MAX_SESSIONS),
    help: 'connections: how many sessions to hold, separated by spaces [100 to 2,000; 10,000 at full]; active ones up to MAX_VUS',
  },
  SESSION_EXPIRY_S: {
    type: positiveNumber,
    default: '20',
    help: 'connections: seconds after which a server of your own is asked whether it still knows sessions that nobody used',
  },
};
