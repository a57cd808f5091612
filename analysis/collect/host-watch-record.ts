/**
 * What the watcher beside k6 saw of this machine, as it is kept: totals since its start, so that the mean over any time between two
 * points is exact however few points are left of a long run.
 */

import type { Process } from './host-watch-processes.ts';

export interface HostWatch {
  schema: 'mcp-load-lab/host-watch/1';
  /** Of the machine. */
  cores: number;
  /**
   * Whose processes are the target's: the stack's or the test's own, those that listen on its port, not known which, or on another machine.
   */
  target: 'own' | 'found' | 'unknown' | 'elsewhere';
  /** Of a point, see COLUMNS. */
  columns: string[];
  /** Totals since the first one; null: not known. */
  points: (number | null)[][];
  /** By point: names of the programs among `other` that used most since the point before, and their seconds. */
  others: [string, number][][];
}

export type Group = 'db' | 'cache' | 'target' | 'stack' | 'other';

export type Column = (typeof COLUMNS)[number];

export interface Look {
  wallS: number;
  processes: Process[];
  /** By pid: it and what it started are of that group. */
  roots: Map<number, Group | 'ignored'>;
}

/** at_s is Unix time, all others are seconds of CPU. */
export const COLUMNS = ['at_s', 'db', 'cache', 'target', 'stack', 'other'] as const;

/** Twice a timeline's: never less than one for each of its points. */
const MOST_POINTS = 3600;
const NAMED_OTHERS = 3;

const INIT = 1;
const GROUPS: readonly Group[] = ['db', 'cache', 'target', 'stack', 'other'];

export class HostRecord {
  #cores;
  target: HostWatch['target'] = 'unknown';
  #points: number[][] = [];
  #others: [string, number][][] = [];
  /** Points are kept each so many looks. */
  #every = 1;
  #looks = 0;

  #known: Map<string, { group: Group | 'ignored'; parent: string; own: number; children: number }> =
    new Map();
  /** Seconds of CPU by group. */
  #used = new Map(GROUPS.map((group) => [group, 0]));
  /** Groups of which a process was seen. */
  #seen: Set<string> = new Set(['other']);
  /** Of those who are not ours, since the last point that was kept. */
  #usedByOthers: Map<string, number> = new Map();
  #hasLooked = false;

  /** @param cores of the machine */
  constructor(cores: number) {
    this.#cores = cores;
  }

  look(look: Look) {
    this.#count(look, this.#hasLooked);
    this.#hasLooked = true;
    this.#keep(look.wallS);
  }

  /** @param counted false: the first look, from which is counted */
  #count({ processes, roots }: Look, counted: boolean) {
    const alive = new Map(processes.map((one) => [one.pid, one]));
    const keyOf = ({ pid, start }: { pid: number; start: string }) => `${pid} ${start}`;
    const keys = new Set(processes.map(keyOf));
    // What a process that is gone had used by then stands a second time in the account of the one that waited for it.
    const twice: Map<string, number> = new Map();
    for (const [key, { parent, own, children }] of this.#known) {
      if (keys.has(key)) continue;
      let heir = parent;
      while (heir !== '' && !keys.has(heir)) heir = this.#known.get(heir)?.parent ?? '';
      twice.set(heir, (twice.get(heir) ?? 0) + own + children);
    }
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    // Whose parent ended first is waited for by init, not by the parent's parent: what is not in that account is in init's.
    let orphans = 0;
    const initLast = [...processes].sort((a, b) => Number(a.pid === INIT) - Number(b.pid === INIT));
    for (const one of initLast) {
      const key = keyOf(one);
      const last = this.#known.get(key);
      // A root may be found late; one whose parent has ended is still what it was.
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
      const known = (twice.get(key) ?? 0) + (one.pid === INIT ? orphans : 0);
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
    if (this.#points.length > MOST_POINTS) this.#thin();
  }

  /** Half of the points; what the others of two of them used is added up. */
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

  /** @returns nothing of it was ever seen: what was not yet is 0 */
  #unknown(column: Column): boolean {
    return column !== 'at_s' && !this.#seen.has(column);
  }
}

/** @param alive by pid @returns that of the nearest root among those that started it; null: there is none */
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

/** @returns those of a name in one, the most first */
function largest(used: [string, number][]): [string, number][] {
  const byName: Map<string, number> = new Map();
  for (const [name, seconds] of used) byName.set(name, (byName.get(name) ?? 0) + seconds);
  return [...byName]
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .slice(0, NAMED_OTHERS)
    .map(([name, seconds]) => [name, rounded(seconds)]);
}

/** @returns a ten-thousandth is less than what is measured */
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
