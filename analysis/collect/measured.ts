/** What the output lab wrote: how a k6 run ended, and what it measured. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProgram } from '../../contract/command-line.js';
import { MODERN_VERSION } from '../../contract/protocols.js';
import { validator } from '../schemas.ts';
import type { Outcome } from './latencies.ts';
import type { Plan } from './plan.ts';
import type { Processes } from './processes.ts';
import type { Streams } from './streams.ts';

/** A number of trues among all. */
export interface Share {
  trues: number;
  total: number;
}

/** What a latency consists of, in order. Waiting includes earlier requests of the call. */
export const PARTS = ['blocked', 'connecting', 'tls', 'sending', 'waiting', 'receiving'] as const;
export type Part = (typeof PARTS)[number];

/** Of a group. What is 0 is not there; histograms are for SparseHistogram. */
export interface Counts {
  requests?: number;
  failed?: number;
  failures?: Record<string, number>;
  /** By kind: when these requests began, Unix times in milliseconds. */
  failedAt?: Record<string, [first: number, last: number]>;
  /** Of a second: when calls began that went well, milliseconds into it, to a tenth of a second. */
  wellOffsets?: string;
  rejected?: number;
  additional?: number;
  abandoned?: number;
  /** Calls that k6 interrupted, and when they began, Unix times in milliseconds. */
  interrupted?: number;
  interruptedAt?: [first: number, last: number];
  /** By limit: calls that were not answered within it. */
  slow?: Record<string, Share>;
  /** Latencies of calls. */
  durations?: Partial<Record<Outcome, string>>;
  /** Of answered calls, up to measured/1. */
  duration?: string;
  firstEvent?: string;
  /** Calls that were answered in this second, whenever they began. */
  answered?: Partial<Record<Outcome, number>>;
  /** Of a whole run: the parts of the latencies added up, milliseconds, and until when calls had a connection. */
  parts?: Record<Part, number>;
  untilConnected?: string;
  /** Of a whole run, by operation: calls that began while one of its calls was in flight, and, without a name, those that began alone. */
  overlaps?: Record<string, Overlap>;
  /** Opened, and closed by the server after its answer. */
  connections?: number;
  /** Requests less than a second after their client's last answer, and those of them that opened a connection. */
  followUps?: number;
  reconnections?: number;
  closedConnections?: number;
  /** Iterations that made a call. This and what follows is counted by phase, in the group without an operation. */
  started?: number;
  /** Those that were finished; late: after the phase had ended. */
  iterations?: number;
  late?: number;
  dropped?: number;
  bytesSent?: number;
  bytesReceived?: number;
  /** By name: what the script, or the client, measures besides. */
  metrics?: Record<string, Other>;
}

export interface Overlap {
  calls: number;
  failed: number;
  /** When they began, Unix times in milliseconds. */
  at: [first: number, last: number];
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
  /** Of several generators: why their parts say nothing of the whole. */
  doubt?: string;
}

export interface Server {
  url: string;
  /** Without it, it does not speak MCP. */
  protocolVersion?: string;
  name?: string;
  version?: string;
}

/** VUs by how many of their calls failed. */
export type Clients = Record<'none' | 'some' | 'all', { clients: number; calls: number; failed: number }>;

/** Of the wall clock against the monotonic one. */
export interface ClockJump {
  /** Unix time in milliseconds. */
  at: number;
  /** Seconds; below zero, it was set back. */
  by: number;
}

export interface Measured {
  /** As the script has it. */
  plan?: unknown;
  /** Those that the script connected to. */
  servers?: Server[];
  /** Of servers that are programs. */
  processes?: Processes;
  /** That clients held. */
  streams?: Streams;
  began: number;
  ended: number;
  end: { reason: string; exitCode: number; message?: string };
  vus: number;
  vusMax: number;
  warmup: number;
  timerLateness?: string;
  cpuMicroseconds?: number;
  /** Processors that k6 may use. */
  cores?: number;
  clockJumps?: ClockJump[];
  /** Absent: of an older version, or no call was made. */
  clients?: Clients;
  groups: (Counts & { phase: string; operation: string; class?: string })[];
  thresholds: Threshold[];
}

/** @returns the plan, with what the server that it loads said of itself */
export function withServer(plan: Plan, { servers = [] }: Measured): Plan {
  const {
    protocolVersion = '',
    name = '',
    version = '',
    // A server that is a program is called by its command.
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
  /** To exit with: 2 and 3 are the script's own. */
  code: number;
  reason: string;
}

/** @returns null: the script did not end its test by itself, as lib/abort.js does */
export function abortOf({ reason, message = '' }: Pick<Measured['end'], 'reason' | 'message'>): Abort | null {
  const [, code, said] = /^test aborted: exit ([23]): (.*)$/s.exec(reason === 'abort' ? message : '') ?? [];
  if (said === undefined) return null;
  return { code: code === '2' ? 2 : 3, reason: said.replace(/ at abort \(file:.*$/s, '') };
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
