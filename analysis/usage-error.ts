/** What was given can't be used: a command ends with exit code 2 and this message. */
export class UsageError extends Error {}
