import { oneLine } from '../contract/one-line.js';

/** The target can't be reached, or does not speak MCP: exit code 3, and this message, which is one line whatever the target says. */
export class TargetError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(oneLine(message));
  }
}
