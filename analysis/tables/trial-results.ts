/** What the tests of several k6 runs (experiments/) find out by themselves and leave for their tables. */
import type { Threshold } from '../judge/threshold.ts';

export interface ChaosResult {
  recovery_s: number;
  faults: ChaosRow[];
}

/** What the tables know of a fault. */
export interface ChaosRow {
  name: string;
  title: string;
  intensity: string;
  /** Of the requests under fault; null: nothing is asked for. */
  least_success: number | null;
  most_refused: number | null;
  /** Why it could not be made. */
  why_not: string | null;
  /** What came of making it. */
  did: Record<string, string | number>;
}

/** The highest rate that a search found. */
export interface Found {
  /** null: none was held. */
  rate: number | null;
  /** The lowest that did not hold; null: all did, or the generator gave up. */
  broken: number | null;
  /** More could not be made: the server may do more. */
  generator: boolean;
  /** More was not to be tried. */
  most: boolean;
  /** How often a hold broke. */
  lowered: number;
}

export interface Tried {
  trial: string;
  /** Requests/s. */
  rate: number;
  kind: 'step' | 'hold';
  holds: boolean;
  /** The load could not be made, and not for the server's fault. */
  generator: boolean;
  /** Of that: no VU was free. Absent: of an older version. */
  users?: boolean;
  /** The objectives that broke. */
  missed: string[];
}

export interface CapacityResult {
  found: Found;
  /** In turn. */
  tried: Tried[];
  precision: number;
  /** Of the last hold. */
  thresholds: Threshold[];
}

/** Sessions that are held, and do nothing. */
export interface IdleStep {
  trial: string;
  /** Sessions that were held. */
  size: number;
  streams: number;
  /** Streams that the server or the network ended. */
  lost: number;
  /** Sessions opened in this step. */
  opened: number;
  /** With 20 at a time. */
  handshakes_per_s: number | null;
  handshake_p50_ms: number | null;
  handshake_p95_ms: number | null;
  handshake_p99_ms: number | null;
  /** Of the server, at rest. */
  memory_bytes: number | null;
  /** Of the process that holds the sessions. */
  holder_bytes: number;
}

export interface ConnectionsResult {
  idle: IdleStep[];
  /** Why there were not more. */
  stopped: string | null;
  active: { trial: string; size: number }[];
  /** before, most, left: sessions that the server counts. */
  abandoned: {
    probes: number;
    known: number;
    after_s: number;
    before: number | null;
    most: number | null;
    left: number | null;
  } | null;
}

export interface GatewayResult {
  gateway: string;
  /** Requests/s. */
  rate: number | null;
  /** Processors that the gateway kept busy, by phase. */
  cores: Record<string, number | null>;
}

export type Point = [count: number, bytes: number];

export interface MemoryResult {
  /** Bytes of a Node that does nothing; null: not known on this system. */
  runtime: number | null;
  /** At rest, by worker processes. */
  workers: Point[];
  /** By connections that were open. */
  pool: Point[];
  /** Of Redis, by keys in it. */
  cache: Point[];
}

/** Of one operation's bodies, means in bytes. */
export interface Size {
  operation: string;
  request: number | null;
  /** Answer. */
  plain: number | null;
  /** Answer to a request that accepts gzip; null: the server did not compress it. */
  gzip: number | null;
}

export interface ScalingResult {
  users: number;
  repeats: number;
  knobs: Record<string, string>;
  /** Of an instance, USD an hour. */
  price: number;
  /** By phase: processors in use by part of the stack, and the busiest instance's share of the calls. */
  phases: Record<string, { cores: Record<string, number>; busiest: number | null }>;
}

export interface SweepResult {
  knob: string;
  /** As they were given. */
  values: string[];
  repeats: number;
  trialS: number;
  /** Knobs that all of them need. */
  beside: Record<string, string>;
}
