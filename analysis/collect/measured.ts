/** Reads the output lab's document: how a k6 run ended, and what it measured. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProgram } from '../../contract/command-line.js';
import { MODERN_VERSION } from '../../contract/protocols.js';
import { validator } from '../schemas.ts';
import type { Outcome } from './latencies.ts';
import type { Plan } from './plan.ts';
import type { Processes } from './processes.ts';
import type { Streams } from './streams.ts';

/** Number of true samples. */
export interface Share {
  trues: number;
  total: number;
}

/** Parts of a latency, in order. Waiting includes the earlier requests of the call. */
export const PARTS = ['blocked', 'connecting', 'tls', 'sending', 'waiting', 'receiving'] as const;
export type Part = (typeof PARTS)[number];

/** Counts of a group. Members that are 0 are absent; histograms are encoded for SparseHistogram. */
export interface Counts {
  requests?: number;
  failed?: number;
  failures?: Record<string, number>;
  /** By kind: Unix times in milliseconds at which the first and the last such request began. */
  failedAt?: Record<string, [first: number, last: number]>;
  /**
   * In seconds.jsonl: offsets of successful calls within the second, milliseconds rounded to tenths of a
   * second.
   */
  wellOffsets?: string;
  rejected?: number;
  additional?: number;
  /** Successful requests that are not calls, such as handshakes. They do not count for the failure rate. */
  protocol?: number;
  abandoned?: number;
  /**
   * Calls that k6 interrupted, and Unix times in milliseconds at which the first and the last of them began.
   */
  interrupted?: number;
  interruptedAt?: [first: number, last: number];
  /** By limit: calls that were not answered within it. */
  slow?: Record<string, Share>;
  /** Latencies of calls. */
  durations?: Partial<Record<Outcome, string>>;
  /** Latencies of answered calls, up to measured/1. */
  duration?: string;
  firstEvent?: string;
  /** Calls that were answered in this second, whenever they began. */
  answered?: Partial<Record<Outcome, number>>;
  /**
   * In a whole run: the sum of each part of the latencies in milliseconds, and the times until calls had a
   * connection.
   */
  parts?: Record<Part, number>;
  untilConnected?: string;
  /**
   * In a whole run, by operation: calls that began while a call of that operation was in flight. The empty
   * name counts those that began alone.
   */
  overlaps?: Record<string, Overlap>;
  /** Connections that were opened, and those that the server closed after its answer. */
  connections?: number;
  /** Requests within a second after their client's last answer, and how many of them opened a connection. */
  followUps?: number;
  reconnections?: number;
  closedConnections?: number;
  /**
   * Iterations that made a call. This and the following members are counted by phase, in the group without an
   * operation.
   */
  started?: number;
  /** Iterations that were completed, and how many of them ended after the phase. */
  iterations?: number;
  late?: number;
  dropped?: number;
  bytesSent?: number;
  bytesReceived?: number;
  /** By name: other metrics of the script and the client. */
  metrics?: Record<string, Other>;
}

export interface Overlap {
  calls: number;
  failed: number;
  /** Unix times in milliseconds at which the first and the last of them began. */
  at: [first: number, last: number];
}

export interface Other {
  /** Value of a Counter. */
  sum?: number;
  /** Value of a Rate. */
  share?: Share;
  /** Range of a Gauge. */
  range?: [least: number, most: number];
  /** Values of a Trend, for SparseHistogram. */
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
  /** With several generators: why their individual results do not determine the overall result. */
  doubt?: string;
}

export interface Server {
  url: string;
  /** Absent if the server does not speak MCP. */
  protocolVersion?: string;
  name?: string;
  version?: string;
}

/** Number of VUs with none, some or all of their calls failed. */
export type Clients = Record<'none' | 'some' | 'all', { clients: number; calls: number; failed: number }>;

/** A difference between the wall clock and the monotonic clock. */
export interface ClockJump {
  /** Unix time in milliseconds. */
  at: number;
  /** Seconds; negative if the clock was set back. */
  by: number;
}

export interface Measured {
  /** The plan as the script exports it. */
  plan?: unknown;
  /** Servers that the script connected to. */
  servers?: Server[];
  /** Processes of servers that are programs. */
  processes?: Processes;
  /** Streams that clients held. */
  streams?: Streams;
  began: number;
  ended: number;
  end: { reason: string; exitCode: number; message?: string };
  vus: number;
  vusMax: number;
  warmup: number;
  timerLateness?: string;
  cpuMicroseconds?: number;
  /** Number of cores that k6 may use. */
  cores?: number;
  clockJumps?: ClockJump[];
  /** Absent in documents of older versions, or if no call was made. */
  clients?: Clients;
  groups: (Counts & { phase: string; operation: string; class?: string })[];
  thresholds: Threshold[];
}

/** @returns the plan, with what the server under load reported about itself */
export function withServer(plan: Plan, { servers = [] }: Measured): Plan {
  const {
    protocolVersion = '',
    name = '',
    version = '',
    // A server that is a program has a command instead of a URL.
    url = plan.target.url,
  } = servers.find((server) => server.url === plan.target.url || isProgram(server.url)) ?? {};
  const found = protocolVersion && {
    era: protocolVersion === MODERN_VERSION ? 'modern' : 'legacy',
    protocol_version: protocolVersion,
    server: name ? { name, version } : null,
  };
  return {
    ...plan,
    target: { era: null, protocol_version: null, server: null, ...plan.target, ...found, url },
  };
}

/** Why there is nothing to judge. */
export interface Abort {
  /** Exit code; 2 and 3 are set by the script. */
  code: number;
  reason: string;
}

/** @returns null unless the script ended the test itself (lib/abort.js) */
export function abortOf({ reason, message = '' }: Pick<Measured['end'], 'reason' | 'message'>): Abort | null {
  const [, code, said] = /^test aborted: exit ([23]): (.*)$/s.exec(reason === 'abort' ? message : '') ?? [];
  if (said === undefined) return null;
  return { code: code === '2' ? 2 : 3, reason: said.replace(/ at abort \(file:.*$/s, '') };
}

let validate: ReturnType<typeof validator> | undefined;

export const hasMeasured = (folder: string) => existsSync(join(folder, 'measured.json'));

/**
 * @param folder folder that was passed to the output
 * @returns null if the run did not end regularly, whatever k6's exit code was
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
