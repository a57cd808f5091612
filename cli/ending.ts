/** What ends a command: one line for whoever typed it, and the exit code. */
import { ConfigError } from '../contract/config-error.js';
import { oneLine } from '../contract/one-line.js';

/** Something here does not work. */
export const BROKEN = 1;
/** Bad usage. */
export const USAGE = 2;
/** The target can't be reached, or is not MCP. */
export const TARGET = 3;
/** Ended from outside before the load. */
export const INTERRUPTED = 130;

export class Ending extends Error {
  readonly code: number;

  /** @param message '' where the reason has been shown */
  constructor(message: string, code: number) {
    super(oneLine(message));
    this.code = code;
  }
}

/** What was given is wrong: "X is Y; valid: Z". */
export const usage = (message: string) => new Ending(message, USAGE);
export const broken = (message: string) => new Ending(message, BROKEN);

export const codeOf = (error: unknown): number =>
  error instanceof Ending ? error.code : error instanceof ConfigError ? USAGE : BROKEN;

/** The beginning of what somebody typed, or pasted, as part of one line. */
export const quotable = (text: string) => text.slice(0, 200).replace(/[^ -~]/g, '?');
