import { cleanText } from '../clean-text.ts';
import { UsageError } from '../usage-error.ts';

/** Maximum length of a message, which may contain a list of valid values. */
const MAX_LENGTH = 4000;

/** The input cannot be compared. The message is a single line for the user; the exit code is 2. */
export class CompareError extends UsageError {
  /** @param message reduced to one line, because it may contain text of a run document */
  constructor(message: string) {
    super(cleanText(message, [], MAX_LENGTH));
  }
}
