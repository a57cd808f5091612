/** The object that a call names does not exist. The message is meant for the client. */
export class NotFoundError extends Error {}
