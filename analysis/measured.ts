/** What the output lab wrote: how a k6 run ended, and what it measured. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validator } from './schemas.js';

/** A number of trues among all. */
export interface Share {
  trues: number;
  total: number;
}

/** Of a group. What is 0 is not there; histograms are for SparseHistogram. */
export interface Counts {
  requests?: number;
  failed?: number;
  failures?: Record<string, number>;
  /** By kind, Unix times in milliseconds. */
  failedAt?: Record<string, [first: number, last: number]>;
  rejected?: number;
  additional?: number;
  abandoned?: number;
  slow?: Record<string, Share>;
  duration?: string;
  firstEvent?: string;
  /** Iterations that made a call. This and what follows is counted by phase, in the group without an operation. */
  started?: number;
  /** Those that were finished. */
  iterations?: number;
  dropped?: number;
  /** From the planned time of an iteration to its first call, where the executor plans them (arrival rates). */
  lateness?: string;
  bytesSent?: number;
  bytesReceived?: number;
  /** By name: what the script, or the client, measures besides. */
  metrics?: Record<string, Other>;
}

export interface Other {
  /** Of a Counter. */
  sum?: number;
  /** Of a Rate. */
  share?: Share;
  /** Of a Gauge. */
  range?: [least: number, most: number];
  /** Of a Trend, for SparseHistogram. */
  values?: string;
}

export interface Threshold {
  metric: string;
  threshold: string;
  passed: boolean;
  aborts?: boolean;
  hasSamples: boolean;
  share?: Share;
  value?: number;
}

export interface Measured {
  began: number;
  ended: number;
  end: { reason: string; exitCode: number; message?: string };
  vus: number;
  vusMax: number;
  warmup: number;
  timerLateness?: string;
  groups: (Counts & { phase: string; operation: string; class?: string })[];
  thresholds: Threshold[];
}

let validate: ReturnType<typeof validator> | undefined;

export const hasMeasured = (folder: string) => existsSync(join(folder, 'measured.json'));

/**
 * @param folder that the output was given
 * @returns null: the run did not end as it should, whatever k6's exit code says
 */
export function readMeasured(folder: string): Measured | null {
  validate ??= validator('../contract/measured.schema.json');
  try {
    const document = JSON.parse(readFileSync(join(folder, 'measured.json'), 'utf8'));
    return validate(document) === null ? document : null;
  } catch {
    return null;
  }
}
