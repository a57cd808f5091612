import { oneLine } from './one-line.js';

/** A wrong value in the environment: the run ends with exit code 2 and this message, which is one line whatever the value is. */
export class ConfigError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(oneLine(message));
  }
}
