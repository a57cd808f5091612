/**
 * The messages in the body of a `text/event-stream` answer, as WHATWG's event stream format has them:
 * lines end with LF, CRLF or CR, a byte order mark in front is dropped, an event's `data:` lines are joined by LF, comments and other fields are
 * passed over. An event that the stream's end cuts off is still returned: a load generator wants the
 * reply of a server that forgets the last blank line.
 *
 * @param {string} body
 * @returns {string[]} the data of each event that has any, in order
 */
export const eventData = (body) => {
  /** @type {string[]} */
  const events = [];
  /** @type {string[]} */
  let data = [];
  const end = () => {
    const text = data.join('\n');
    // Servers open a stream with an event of empty data, to give it an id.
    if (text !== '') events.push(text);
    data = [];
  };
  for (const line of body.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    if (line === '') end();
    else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
  end();
  return events;
};
