import { variables as ofExperiments } from '../../experiments/variables.js';
import { variables as ofTests } from '../../lib/config.js';

/** @type {Record<string, import('../../lib/variable.js').Variable<any>>} */
export const VARIABLES = { ...ofTests, ...ofExperiments };
