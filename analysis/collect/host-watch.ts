#!/usr/bin/env node
/**
 * Monitors which processes use this machine's CPU during one k6 run. cli/run/load.ts starts and ends it. Does
 * nothing without /proc. The output lab monitors k6's own process.
 *
 * node analysis/collect/host-watch.ts FILE RUN_PID
 */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLocal } from '../is-local.ts';
import { writeAtomic } from '../write-atomic.ts';
import { containers, listeners, ownPid, type Process, processes } from './host-watch-processes.ts';
import { type Group, HostRecord, type HostWatch } from './host-watch-record.ts';

/** Same as the step of a timeline. */
const LOOK_MS = 2000;
/**
 * Maximum cost of monitoring as a share of one core. With thousands of processes, looks become less frequent.
 */
const MAX_CPU = 0.006;
const WRITE_MS = 60_000;
/** Number of attempts to find the target's port: a target that starts with the test does not listen yet. */
const SEARCHES = 10;
/**
 * Interval of the check whether the run still exists: if it was killed, nothing else ends this process.
 * Independent of the looks, which may be rare on a busy machine.
 */
const RUN_MS = 1000;

/** Parts of the stack with a group of their own; supervisord's other children are the rest of the stack. */
const PARTS = { postgres: 'db', redis: 'cache', supervisord: 'stack' } as const;

const [file = '', runPid = ''] = process.argv.slice(2);
/** In Docker: space-separated `service=id` pairs, set by scripts/docker.sh. */
const stackContainers: [string, string][] = (process.env.STACK_CONTAINERS ?? '')
  .split(' ')
  .filter(Boolean)
  .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]);
/** Groups of the services; all others belong to the stack. */
const CONTAINER_GROUPS: Record<string, Group> = {
  target: 'target',
  program: 'target',
  postgres: 'db',
  redis: 'cache',
};

/**
 * Passed as an argument, because process.ppid is a different process if the run was killed before this
 * process started.
 */
const run = Number(runPid);
const record = new HostRecord(cpus().length);
const own = targetAddress();
const isProgram = Boolean(process.env.TARGET_COMMAND);
let over = false;

/** @returns the monotonic time */
const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** @returns CPU time of this process */
function costMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** @returns the target of the load; null if unknown */
function targetAddress(): { port: number; here: boolean; reference: boolean } | null {
  const { TARGET_URL = '', TARGET_PORT = '', REFERENCE_URL = '' } = process.env;
  if (!/^https?:/.test(TARGET_URL)) return null;
  const { href, host, port, protocol } = new URL(TARGET_URL);
  const here = isLocal(href);
  const isReference = URL.canParse(REFERENCE_URL)
    ? host === new URL(REFERENCE_URL).host && stackContainers.length > 0
    : port !== '' && port === TARGET_PORT;
  return {
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    here,
    reference: here && isReference,
  };
}

/**
 * @param part part of the stack
 * @returns its PID, as recorded by scripts/component; 0 if it is not running
 */
function pidOf(part: string): number {
  try {
    return Number(readFileSync(join(process.env.RUN_DIR ?? '', 'pids', part), 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}

let searches = 0;
let listening: number[] = [];

/** @returns the root PIDs of the target's processes */
function targetPids(alive: Set<number>): number[] {
  if (own?.reference) return [pidOf('target')];
  if (!own?.here) return [];
  if (!listening.some((pid) => alive.has(pid)) && searches < SEARCHES) {
    searches += 1;
    listening = listeners(own.port);
  }
  return listening;
}

/** @returns the groups by root PID */
function rootsOf(all: Process[]): Map<number, Group | 'ignored'> {
  const roots: Map<number, Group | 'ignored'> = new Map();
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  // All other processes that the run starts belong to the stack.
  const own = ownPid();
  const ownRun = parents.get(own) ?? 0;
  if (ownRun > 1) roots.set(ownRun, 'stack');
  for (const [part, group] of Object.entries(PARTS)) {
    const pid = pidOf(part);
    if (pid > 1) roots.set(pid, group);
  }
  const rootOf = new Map(stackContainers.length > 0 ? containers(all) : []);
  for (const [service, id] of stackContainers) {
    const [, pid] = [...rootOf].find(([full]) => full.startsWith(id)) ?? [];
    if (pid) roots.set(pid, CONTAINER_GROUPS[service] ?? 'stack');
  }
  for (const pid of targetPids(new Set(parents.keys()))) if (pid > 1) roots.set(pid, 'target');
  const isOfRun = (pid: number) => {
    let at = pid;
    while (at > 0 && at !== ownRun) at = parents.get(at) ?? 0;
    return at === ownRun;
  };
  // A run with several generators has several k6 processes.
  const generators = new Set(
    all.filter(({ pid, comm }) => comm === 'k6' && isOfRun(pid)).map(({ pid }) => pid),
  );
  for (const pid of generators) roots.set(pid, 'ignored');
  // A server that is a program is k6's child.
  if (isProgram) for (const { pid, parent } of all) if (generators.has(parent)) roots.set(pid, 'target');
  roots.set(own, 'ignored');
  return roots;
}

function targetKind(): HostWatch['target'] {
  if (isProgram) return 'found';
  if (own && !own.here) return 'elsewhere';
  // The target's container may be unknown: not every engine has a shim that names it, and /proc may belong to
  // another machine.
  if (own?.reference) return targetSeen ? 'own' : 'unknown';
  return listening.length > 0 ? 'found' : 'unknown';
}

/** Whether a process of the stack's own target was found. */
let targetSeen = false;

function look() {
  const all = processes();
  const roots = rootsOf(all);
  targetSeen ||= [...roots.values()].includes('target');
  record.target = targetKind();
  record.look({ wallS: Date.now() / 1000, processes: all, roots });
}

const write = () => writeAtomic(file, `${JSON.stringify(record.document())}\n`);

function end() {
  if (over) return;
  over = true;
  look();
  write();
  process.exit();
}

// Ctrl-C is for k6, which needs some time to stop.
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});
process.on('SIGTERM', end);

if (processes().length > 0) {
  setInterval(() => process.ppid === run || end(), RUN_MS);
  let writtenMs = monotonicMs();
  while (!over) {
    const [startMs, beforeMs] = [monotonicMs(), costMs()];
    look();
    if (monotonicMs() - writtenMs > WRITE_MS) {
      write();
      writtenMs = monotonicMs();
    }
    const restMs = Math.max(LOOK_MS, (costMs() - beforeMs) / MAX_CPU);
    await sleep(Math.max(1, restMs - (monotonicMs() - startMs)));
  }
}
