import { oneLine } from '../contract/one-line.js';

/**
 * The target cannot be reached or does not speak MCP. The run ends with exit code 3 and this message, always
 * one line.
 */
export class TargetError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(oneLine(message));
  }
}
