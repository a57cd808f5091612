/** Safe as a file name and on a command line. */
export const BASELINE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const baselineName = {
  valid: 'up to 64 letters, digits, dots, hyphens and underscores, as in main',
  parse: (/** @type {string} */ value) => (BASELINE_NAME.test(value) ? value : undefined),
};
