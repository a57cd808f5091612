#!/usr/bin/env node
/**
 * Watches who uses this machine's processors alongside one k6 run. cli/run/load.ts starts it and ends it; without /proc there is nothing to
 * watch. What k6's own process needs of the machine the output lab says.
 *
 *   node analysis/collect/host-watch.ts FILE RUN_PID
 */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLocal } from '../is-local.ts';
import { writeAtomic } from '../write-atomic.ts';
import { containers, listeners, ownPid, type Process, processes } from './host-watch-processes.ts';
import { type Group, HostRecord, type HostWatch } from './host-watch-record.ts';

/** As often as the timeline has points. */
const LOOK_MS = 2000;
/** Looking takes longer where there are thousands of processes: it may take this share of one processor. */
const MOST_CPU = 0.006;
const WRITE_MS = 60_000;
/** A target that starts with the test does not listen yet. */
const SEARCHES = 10;
/** If the run was killed, nobody else will end this. Not with the looks, which may be far apart on a busy machine. */
const RUN_MS = 1000;

/** Parts of the stack that are looked at by themselves; all that supervisord keeps beside them is the rest. */
const PARTS = { postgres: 'db', redis: 'cache', supervisord: 'stack' } as const;

const [file = '', runPid = ''] = process.argv.slice(2);
/** In Docker: `service=id` words, which scripts/docker.sh knows. */
const stackContainers: [string, string][] = (process.env.STACK_CONTAINERS ?? '')
  .split(' ')
  .filter(Boolean)
  .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]);
/** Whose CPU each of them uses; all others are the stack's. */
const CONTAINER_GROUPS: Record<string, Group> = {
  target: 'target',
  program: 'target',
  postgres: 'db',
  redis: 'cache',
};

/** Told, not asked for: the parent may be another by now, if the run was killed before this began. */
const run = Number(runPid);
const record = new HostRecord(cpus().length);
const own = targetAddress();
const isProgram = Boolean(process.env.TARGET_COMMAND);
let over = false;

/** @returns of the clock that nobody sets */
const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** @returns CPU that this process has used */
function costMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** @returns where the load goes; null: nobody said */
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

/** @param part of the stack @returns its pid, as scripts/component noted it; 0: it does not run */
function pidOf(part: string): number {
  try {
    return Number(readFileSync(join(process.env.RUN_DIR ?? '', 'pids', part), 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}

let searches = 0;
let listening: number[] = [];

/** @returns the roots of the target's processes */
function targetPids(alive: Set<number>): number[] {
  if (own?.reference) return [pidOf('target')];
  if (!own?.here) return [];
  if (!listening.some((pid) => alive.has(pid)) && searches < SEARCHES) {
    searches += 1;
    listening = listeners(own.port);
  }
  return listening;
}

/** @returns by pid */
function rootsOf(all: Process[]): Map<number, Group | 'ignored'> {
  const roots: Map<number, Group | 'ignored'> = new Map();
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  // Whatever the run starts beside its load is its own.
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
  // Of a run of several generators there is more than one.
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
  // Which container it is may not be told: not every engine has a shim that names it, and none where /proc is another machine's.
  if (own?.reference) return targetSeen ? 'own' : 'unknown';
  return listening.length > 0 ? 'found' : 'unknown';
}

/** Was a process of the stack's own target seen? */
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

// Ctrl-C is for k6, which takes its time to end.
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
    const restMs = Math.max(LOOK_MS, (costMs() - beforeMs) / MOST_CPU);
    await sleep(Math.max(1, restMs - (monotonicMs() - startMs)));
  }
}
