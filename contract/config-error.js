import { oneLine } from './one-line.js';

/** An invalid value in the environment. The run ends with exit code 2 and this message, always one line. */
export class ConfigError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(oneLine(message));
  }
}
