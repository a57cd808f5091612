/** Invalid input of a user: the command prints the message and ends with exit code 2. */
export class UsageError extends Error {}
