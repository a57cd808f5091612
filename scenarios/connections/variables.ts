import { countsUpTo, positiveNumber } from '../../contract/types.js';

const MAX_SESSIONS = 999_999;

export const variables = {
  CONNECTIONS: {
    type: countsUpTo(MAX_SESSIONS),
    help: 'connections: numbers of sessions to hold; active sessions only up to MAX_VUS [100 to 2,000; full: 100 to 10,000]',
  },
  SESSION_EXPIRY_S: {
    type: positiveNumber,
    default: '20',
    help: 'connections: seconds until the test checks whether your own server has dropped unused sessions',
  },
};
