/** What was given can't be compared: the message is one line for the user, the exit code 2. */
export class CompareError extends Error {}
