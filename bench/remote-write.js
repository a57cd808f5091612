/**
 * Prometheus' remote write, as little of it as writes float and native histogram samples of any time: its protobuf
 * messages, in Snappy's block format without compressing anything.
 *
 * @typedef {{timeMs: number, value: number}} Sample
 * @typedef {{timeMs: number, schema: number, first: number, counts: number[], sum: number}} NativeSample
 *   counts of consecutive buckets, cumulative over time; first: the index of the lowest
 * @typedef {{labels: Record<string, string>, samples?: Sample[], histograms?: NativeSample[]}} WrittenSeries
 */

/** @param {number | bigint} value @returns {number[]} */
function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return [...bytes, Number(rest)];
}

/** @param {number} value signed */
const zigzag = (value) => varint((BigInt(value) << 1n) ^ (BigInt(value) >> 63n));

/** @param {number} field @param {number[] | Buffer} bytes a message, a text, or packed numbers */
const nested = (field, bytes) =>
  Buffer.from([...varint((field << 3) | 2), ...varint(bytes.length), ...bytes]);
/** @param {number} field @param {number | bigint} value */
const whole = (field, value) => Buffer.from([...varint(field << 3), ...varint(value)]);
/** @param {number} field @param {number} value */
function double(field, value) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.from([...varint((field << 3) | 1), ...bytes]);
}

/** @param {NativeSample} histogram @returns {Buffer} */
function histogramMessage({ timeMs, schema, first, counts, sum }) {
  const deltas = counts.flatMap((count, index) => zigzag(count - (counts[index - 1] ?? 0)));
  const span = Buffer.concat([Buffer.from([...varint(1 << 3), ...zigzag(first)]), whole(2, counts.length)]);
  return Buffer.concat([
    whole(
      1,
      counts.reduce((total, count) => total + count, 0),
    ),
    double(3, sum),
    Buffer.from([...varint(4 << 3), ...zigzag(schema)]),
    double(5, 2 ** -128),
    nested(11, span),
    nested(12, deltas),
    whole(15, timeMs),
  ]);
}

/** @param {WrittenSeries} series @returns {Buffer} */
function seriesMessage({ labels, samples = [], histograms = [] }) {
  return Buffer.concat([
    ...Object.entries(labels)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) =>
        nested(1, Buffer.concat([nested(1, Buffer.from(name)), nested(2, Buffer.from(value))])),
      ),
    ...samples.map(({ timeMs, value }) => nested(2, Buffer.concat([double(1, value), whole(2, timeMs)]))),
    ...histograms.map((histogram) => nested(4, histogramMessage(histogram))),
  ]);
}

/** A literal of Snappy's may be this long with a length of two bytes. */
const LITERAL = 65_536;

/** @param {Buffer} data @returns {Buffer} */
function snappy(data) {
  /** @type {Buffer[]} */
  const parts = [Buffer.from(varint(data.length))];
  for (let at = 0; at < data.length; at += LITERAL) {
    const literal = data.subarray(at, at + LITERAL);
    const length = literal.length - 1;
    parts.push(Buffer.from([61 << 2, length & 255, length >> 8]), literal);
  }
  return Buffer.concat(parts);
}

/** @param {WrittenSeries[]} series @returns {Buffer} the body of a request */
export const remoteWriteBody = (series) =>
  snappy(Buffer.concat(series.map((one) => nested(1, seriesMessage(one)))));

/**
 * @param {string} prometheusUrl
 * @param {WrittenSeries[]} series
 * @throws {Error} where Prometheus does not take them
 */
export async function remoteWrite(prometheusUrl, series) {
  const response = await fetch(`${prometheusUrl}/api/v1/write`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '0.1.0',
    },
    body: remoteWriteBody(series),
  });
  if (!response.ok)
    throw new Error(`Prometheus refused what was written: ${response.status} ${await response.text()}`);
}
