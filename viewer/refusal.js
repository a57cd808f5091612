/** What the viewer refuses, with its HTTP status; the message is one plain line. */
export class Refusal extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}
