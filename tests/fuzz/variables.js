import { validOf } from '../../contract/variable.js';
import { ofCommand } from '../../contract/variables.js';

/** Of a test. */
export const VARIABLES = ofCommand.run ?? {};

/** @param {string} name @returns {string[]} texts that its declaration has in it */
export function textsOf(name) {
  const variable = VARIABLES[name];
  return variable ? [variable.default ?? '', ...validOf(variable).split(/[,;]? /)] : [];
}
