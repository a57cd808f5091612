/** A tool can't do what was asked; the message is meant for the client. */
export class ToolError extends Error {}
