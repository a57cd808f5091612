/** Prometheus remote write 1.0: https://prometheus.io/docs/specs/prw/remote_write_spec/ */
import { PbfWriter } from 'pbf';
import { compress } from 'snappyjs';

/** @typedef {{name: string, labels: Record<string, string>, value: number, timeS: number}} GaugeSample */

export const REMOTE_WRITE_HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
};

/**
 * @param {GaugeSample[]} samples
 * @returns {Uint8Array<ArrayBuffer>} a WriteRequest of one series per sample, in Snappy's block format
 */
export function writeRequest(samples) {
  const request = new PbfWriter();
  for (const sample of samples) request.writeMessage(1, writeSeries, sample);
  return compress(new Uint8Array(request.finish()));
}

/**
 * The receiver requires labels to be sorted by name and their values not to be empty.
 *
 * @param {GaugeSample} sample
 * @param {PbfWriter} series
 */
function writeSeries({ name, labels, value, timeS }, series) {
  const pairs = Object.entries({ ...labels, __name__: name }).filter(([, text]) => text !== '');
  for (const pair of pairs.sort(([a], [b]) => (a < b ? -1 : 1))) series.writeMessage(1, writeLabel, pair);
  series.writeMessage(2, writeSample, { value, timeMs: Math.round(timeS * 1000) });
}

/** @param {[name: string, value: string]} pair @param {PbfWriter} label */
function writeLabel([name, value], label) {
  label.writeStringField(1, name);
  label.writeStringField(2, value);
}

/** @param {{value: number, timeMs: number}} point @param {PbfWriter} sample */
function writeSample({ value, timeMs }, sample) {
  sample.writeDoubleField(1, value);
  sample.writeVarintField(2, timeMs);
}
