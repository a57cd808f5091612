/** Prometheus' remote write 1.0, as much of it as one sample takes: its protobuf message, in Snappy's block format uncompressed. */

/** @param {number} value @returns {number[]} */
function varint(value) {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

/** @param {number} field @param {Uint8Array | number[]} bytes a message or a text */
const nested = (field, bytes) =>
  Buffer.from([...varint((field << 3) | 2), ...varint(bytes.length), ...bytes]);

/**
 * @param {Record<string, string>} labels
 * @param {number} value
 * @returns {Buffer} the body of a request that writes it with the time of now
 */
export function remoteWriteBody(labels, value) {
  const double = Buffer.alloc(8);
  double.writeDoubleLE(value);
  const sample = nested(2, [(1 << 3) | 1, ...double, 2 << 3, ...varint(Date.now())]);
  const pairs = Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => nested(1, [...nested(1, Buffer.from(name)), ...nested(2, Buffer.from(text))]));
  const message = nested(1, Buffer.concat([...pairs, sample]));
  // One literal, its length in two bytes.
  const length = message.length - 1;
  return Buffer.from([...varint(message.length), 61 << 2, length & 255, length >> 8, ...message]);
}
