/** A tool can't do what was requested. The message is meant for the client. */
export class ToolError extends Error {}
