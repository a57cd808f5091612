/** The end of a command: a one-line message and the exit code. */
import { ConfigError } from '../contract/config-error.js';
import { oneLine } from '../contract/one-line.js';

/** An error on this machine. */
export const BROKEN = 1;
/** A usage error. */
export const USAGE = 2;
/** The target cannot be reached or does not speak MCP. */
export const TARGET = 3;
/** Interrupted before the load. */
export const INTERRUPTED = 130;

export class Ending extends Error {
  readonly code: number;

  /** @param message '' if the reason has already been shown */
  constructor(message: string, code: number) {
    super(oneLine(message));
    this.code = code;
  }
}

/** A usage error: "X is Y; valid: Z". */
export const usage = (message: string) => new Ending(message, USAGE);
export const broken = (message: string) => new Ending(message, BROKEN);

export const codeOf = (error: unknown): number =>
  error instanceof Ending ? error.code : error instanceof ConfigError ? USAGE : BROKEN;

/** The start of user input, safe to quote in one line. */
export const quotable = (text: string) => text.slice(0, 200).replace(/[^ -~]/g, '?');
