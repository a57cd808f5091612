/** What a call names is not there; the message is meant for the client. */
export class NotFoundError extends Error {}
