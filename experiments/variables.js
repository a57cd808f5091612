/** Variables that only experiments read, checked and documented as those of every test are (lib/config.js). */
import { positiveInteger, variable } from '../lib/variable.js';

export const variables = {
  REPEATS: variable({
    default: '3',
    help: 'how often an experiment measures each of its values, in random order',
    valid: 'a whole number above 0',
    parse: positiveInteger,
  }),
};
