/**
 * Records the CPU time of this machine's processes while k6 runs. Stores totals since the start of the
 * record, so that the mean between any two points is exact, however many points of a long run are dropped.
 */

import type { Process } from './host-watch-processes.ts';

export interface HostWatch {
  schema: 'mcp-load-lab/host-watch/1';
  /** Number of cores of the machine. */
  cores: number;
  /**
   * How the target's processes are identified: started by the stack or the test (own), found by the port they
   * listen on (found), not identified (unknown), or on another machine (elsewhere).
   */
  target: 'own' | 'found' | 'unknown' | 'elsewhere';
  /** Columns of a point, see COLUMNS. */
  columns: string[];
  /** Totals since the first point; null if unknown. */
  points: (number | null)[][];
  /**
   * For each point, the programs in `other` with the most CPU time since the previous point, with their
   * seconds.
   */
  others: [string, number][][];
}

export type Group = 'db' | 'cache' | 'target' | 'stack' | 'other';

export type Column = (typeof COLUMNS)[number];

export interface Look {
  wallS: number;
  processes: Process[];
  /** By PID: the process and its descendants belong to that group. */
  roots: Map<number, Group | 'ignored'>;
}

/** at_s is Unix time; all other columns are CPU seconds. */
export const COLUMNS = ['at_s', 'db', 'cache', 'target', 'stack', 'other'] as const;

/** Twice the maximum of a timeline, so that each of its points has at least one. */
const MAX_POINTS = 3600;
const NAMED_OTHERS = 3;

const INIT = 1;
const GROUPS: readonly Group[] = ['db', 'cache', 'target', 'stack', 'other'];

export class HostRecord {
  #cores;
  target: HostWatch['target'] = 'unknown';
  #points: number[][] = [];
  #others: [string, number][][] = [];
  /** Number of looks per stored point. */
  #every = 1;
  #looks = 0;

  #known: Map<string, { group: Group | 'ignored'; parent: string; own: number; children: number }> =
    new Map();
  /** CPU seconds by group. */
  #used = new Map(GROUPS.map((group) => [group, 0]));
  /** Groups with at least one process. */
  #seen: Set<string> = new Set(['other']);
  /** CPU seconds of unrelated programs since the last stored point. */
  #usedByOthers: Map<string, number> = new Map();
  #hasLooked = false;

  /** @param cores number of cores of the machine */
  constructor(cores: number) {
    this.#cores = cores;
  }

  look(look: Look) {
    this.#count(look, this.#hasLooked);
    this.#hasLooked = true;
    this.#keep(look.wallS);
  }

  /** @param counted false for the first look, which is the reference */
  #count({ processes, roots }: Look, counted: boolean) {
    const alive = new Map(processes.map((one) => [one.pid, one]));
    const keyOf = ({ pid, start }: { pid: number; start: string }) => `${pid} ${start}`;
    const keys = new Set(processes.map(keyOf));
    // The CPU time of an exited process is also in the children's time of the process that waited for it. It
    // must not be counted twice.
    const alreadyCounted: Map<string, number> = new Map();
    for (const [key, { parent, own, children }] of this.#known) {
      if (keys.has(key)) continue;
      let ancestor = parent;
      while (ancestor !== '' && !keys.has(ancestor)) ancestor = this.#known.get(ancestor)?.parent ?? '';
      alreadyCounted.set(ancestor, (alreadyCounted.get(ancestor) ?? 0) + own + children);
    }
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    // If the parent exited first, init waits for the process, not the grandparent. Time that is missing in
    // the grandparent's account is in init's.
    let orphans = 0;
    const initLast = [...processes].sort((a, b) => Number(a.pid === INIT) - Number(b.pid === INIT));
    for (const one of initLast) {
      const key = keyOf(one);
      const last = this.#known.get(key);
      // A root may be found late. A process whose parent exited keeps its group.
      const group = groupOf(one, alive, roots) ?? last?.group ?? 'other';
      const parent = alive.get(one.parent);
      this.#known.set(key, {
        group,
        parent: parent ? keyOf(parent) : '',
        own: one.own,
        children: one.children,
      });
      this.#seen.add(group);
      if (!counted || group === 'ignored') continue;
      const known = (alreadyCounted.get(key) ?? 0) + (one.pid === INIT ? orphans : 0);
      const collected = one.children - (last?.children ?? 0) - known;
      orphans += Math.max(0, -collected);
      const used = one.own - (last?.own ?? 0) + Math.max(0, collected);
      this.#used.set(group, (this.#used.get(group) ?? 0) + used);
      if (group === 'other' && used > 0)
        this.#usedByOthers.set(one.comm, (this.#usedByOthers.get(one.comm) ?? 0) + used);
    }
  }

  #keep(wallS: number) {
    this.#looks += 1;
    if ((this.#looks - 1) % this.#every !== 0) return;
    this.#points.push([wallS, ...GROUPS.map((group) => this.#used.get(group) ?? 0)].map(rounded));
    this.#others.push(largest([...this.#usedByOthers]));
    this.#usedByOthers.clear();
    if (this.#points.length > MAX_POINTS) this.#thin();
  }

  /** Drops every second point and merges the others' CPU time of each pair. */
  #thin() {
    this.#points = this.#points.filter((_, index) => index % 2 === 0);
    this.#others = this.#points.map((_, index) =>
      largest([...(this.#others[2 * index - 1] ?? []), ...(this.#others[2 * index] ?? [])]),
    );
    this.#every *= 2;
  }

  document(): HostWatch {
    const unknown = new Set(COLUMNS.filter((column) => this.#unknown(column)));
    return {
      schema: 'mcp-load-lab/host-watch/1',
      cores: this.#cores,
      target: this.target,
      columns: [...COLUMNS],
      points: this.#points.map((point) =>
        point.map((value, index) => (unknown.has(COLUMNS[index] as Column) ? null : value)),
      ),
      others: this.#others,
    };
  }

  /** @returns whether no process of the group was ever seen; a group that appears later has 0 before */
  #unknown(column: Column): boolean {
    return column !== 'at_s' && !this.#seen.has(column);
  }
}

/**
 * @param alive processes by PID
 * @returns the group of the process's nearest ancestor (or itself) that is a root; null without one
 */
function groupOf(
  process: Process,
  alive: Map<number, Process>,
  roots: Look['roots'],
): Group | 'ignored' | null {
  for (let at = alive.get(process.pid); at; at = alive.get(at.parent)) {
    const group = roots.get(at.pid);
    if (group) return group;
  }
  return null;
}

/** @returns the sums by name, in descending order */
function largest(used: [string, number][]): [string, number][] {
  const byName: Map<string, number> = new Map();
  for (const [name, seconds] of used) byName.set(name, (byName.get(name) ?? 0) + seconds);
  return [...byName]
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .slice(0, NAMED_OTHERS)
    .map(([name, seconds]) => [name, rounded(seconds)]);
}

/** Rounds to 0.1 ms, which is finer than the clock of /proc. */
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
