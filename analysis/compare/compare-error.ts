import { cleanText } from '../clean-text.ts';
import { UsageError } from '../usage-error.ts';

/** Longer lines are read by nobody; lists of valid choices are long. */
const LONGEST = 4000;

/** What was given can't be compared: the message is one line for the user, the exit code 2. */
export class CompareError extends UsageError {
  /** @param message made one line: it may hold what a run document says */
  constructor(message: string) {
    super(cleanText(message, [], LONGEST));
  }
}
