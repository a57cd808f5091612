#!/usr/bin/env node
/**
 * Watches this machine beside one k6 run: who uses its processors, whether k6 gets those that it wants, and whether the clock
 * goes on evenly. cli/run/load.ts starts it and ends it; where there is no /proc there is nothing that it could watch.
 *
 *   node analysis/host-watch.js FILE K6_ADDRESS LEG_PID [run|leg]     run: the leg is the whole run, and not started by it
 */
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  allowedCores,
  containers,
  listeners,
  machine,
  ownPid,
  type Process,
  processes,
  threads,
} from './host-watch-processes.ts';
import { type Group, HostRecord, type HostWatch } from './host-watch-record.ts';
import { isLocal } from './is-local.ts';
import { writeAtomic } from './write-atomic.ts';

/** As often as the timeline has points. */
const LOOK_MS = 2000;
/** Looking takes longer where there are thousands of processes: it may take this share of one processor. */
const MOST_CPU = 0.006;
const WRITE_MS = 60_000;
/** What k6 may use hardly ever changes: it is read at each so many looks. */
const ALLOWED_LOOKS = 5;
const GOMAXPROCS_LOOKS = 30;
/** A target that starts with the test does not listen yet. */
const SEARCHES = 10;
/** How often k6 is asked for a sign of life, on average: evenly, it might always be at the same moment of a quota's period. */
const ASK_MS = 100;
/** Its leg was killed: nobody else will end this. Not with the looks, which may be far apart on a busy machine. */
const LEG_MS = 1000;

/** Parts of the stack that are looked at by themselves; all that supervisord keeps beside them is the rest. */
const PARTS = { postgres: 'db', redis: 'cache', supervisord: 'stack' } as const;

const [file = '', k6Address = '', legPid = '', ofWhat = ''] = process.argv.slice(2);
/** In Docker: `service=id` words, which scripts/docker.sh knows. */
const stackContainers: [string, string][] = (process.env.STACK_CONTAINERS ?? '')
  .split(' ')
  .filter(Boolean)
  .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]);
/** Whose CPU each of them uses; all others are the stack's. */
const CONTAINER_GROUPS: Record<string, Group> = { target: 'target', postgres: 'db', redis: 'cache' };

/** Told, not asked for: whoever is the parent now may be another, where the leg was killed before this began. */
const leg = Number(legPid);
const record = new HostRecord(cpus().length);
const own = targetAddress();
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
  if (!URL.canParse(TARGET_URL)) return null;
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

/** @returns k6s: their pids, of a run of several generators more than one */
function rootsOf(all: Process[]): { roots: Map<number, Group | 'ignored'>; k6s: number[] } {
  const roots: Map<number, Group | 'ignored'> = new Map();
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  // Whatever the run starts beside its load is its own.
  const own = ownPid();
  const ownLeg = parents.get(own) ?? 0;
  const lab = ofWhat === 'run' ? ownLeg : (parents.get(ownLeg) ?? 0);
  if (lab > 1) roots.set(lab, 'stack');
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
  const ofLeg = (pid: number) => {
    let at = pid;
    while (at > 0 && at !== ownLeg) at = parents.get(at) ?? 0;
    return at === ownLeg;
  };
  const k6s = all.filter(({ pid, comm }) => comm === 'k6' && ofLeg(pid)).map(({ pid }) => pid);
  for (const k6 of k6s) roots.set(k6, 'generator');
  roots.set(own, 'ignored');
  return { roots, k6s };
}

function targetKind(): HostWatch['target'] {
  if (own && !own.here) return 'elsewhere';
  // Which container it is may not be told: not every engine has a shim that names it, and none where /proc is another machine's.
  if (own?.reference) return targetSeen ? 'own' : 'unknown';
  return listening.length > 0 ? 'found' : 'unknown';
}

/** Was a process of the stack's own target seen? */
let targetSeen = false;
let looks = 0;
let allowed = availableParallelism();
let gomaxprocs = Number.POSITIVE_INFINITY;

function look() {
  const all = processes();
  const { roots, k6s } = rootsOf(all);
  const [k6 = 0] = k6s;
  if (k6 > 0 && looks % ALLOWED_LOOKS === 0) allowed = allowedCores(k6);
  if (k6 > 0 && looks % GOMAXPROCS_LOOKS === 0) readGomaxprocs();
  if (k6 > 0) looks += 1;
  targetSeen ||= [...roots.values()].includes('target');
  record.target = targetKind();
  record.look({
    wallS: Date.now() / 1000,
    monotonicS: monotonicMs() / 1000,
    processes: all,
    roots,
    threads: Object.assign({}, ...k6s.map(threads)),
    allowedCores: Math.min(allowed, gomaxprocs),
    machine: machine(),
    costS: costMs() / 1000,
  });
}

/** Go decides by itself, or by its environment, how many processors it uses; k6 says so where it is scraped. */
function readGomaxprocs() {
  const request = get(`http://${k6Address}/metrics`, async (response) => {
    const value = /^go_sched_gomaxprocs_threads (\d+)/m.exec(await text(response))?.[1];
    if (value) gomaxprocs = Number(value);
  });
  // It does not listen yet: at the next turn.
  request.on('error', () => {
    looks = 0;
  });
}

/**
 * Asks k6 for a sign of life, again and again: what its answer takes is what any answer that arrives for k6 waits until k6
 * gets to it. By hand, for that costs both sides less than an HTTP client does.
 */
function ask() {
  let askedMs: number | null = null;
  const next = () => {
    askedMs = monotonicMs();
    socket.write('GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n');
  };
  const socket = connect(
    Number(new URL(`http://${k6Address}`).port),
    new URL(`http://${k6Address}`).hostname,
  ).setNoDelay();
  socket.on('connect', next);
  socket.on('data', () => {
    if (askedMs === null) return;
    const tookMs = monotonicMs() - askedMs;
    askedMs = null;
    record.delayed(tookMs / 1000, ASK_MS / 1000);
    setTimeout(next, Math.max(1, ASK_MS * (0.5 + Math.random()) - tookMs));
  });
  // It does not listen yet, or has ended.
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(ask, ASK_MS));
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
  setInterval(() => process.ppid === leg || end(), LEG_MS);
  ask();
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
