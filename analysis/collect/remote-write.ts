/** Prometheus remote write 1.0: https://prometheus.io/docs/specs/prw/remote_write_spec/ */
import { PbfWriter } from 'pbf';
import { compress } from 'snappyjs';

export type GaugeSample = { name: string; labels: Record<string, string>; value: number; timeS: number };

export const REMOTE_WRITE_HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
};

/** @returns a WriteRequest with one series per sample, in Snappy's block format */
export function writeRequest(samples: GaugeSample[]): Uint8Array<ArrayBuffer> {
  const request = new PbfWriter();
  for (const sample of samples) request.writeMessage(1, writeSeries, sample);
  return compress(new Uint8Array(request.finish()));
}

/** The receiver requires labels sorted by name, with non-empty values. */
function writeSeries({ name, labels, value, timeS }: GaugeSample, series: PbfWriter) {
  const pairs = Object.entries({ ...labels, __name__: name }).filter(([, text]) => text !== '');
  for (const pair of pairs.sort(([a], [b]) => (a < b ? -1 : 1))) series.writeMessage(1, writeLabel, pair);
  series.writeMessage(2, writeSample, { value, timeMs: Math.round(timeS * 1000) });
}

function writeLabel([name, value]: [name: string, value: string], label: PbfWriter) {
  label.writeStringField(1, name);
  label.writeStringField(2, value);
}

function writeSample({ value, timeMs }: { value: number; timeMs: number }, sample: PbfWriter) {
  sample.writeDoubleField(1, value);
  sample.writeVarintField(2, timeMs);
}
