/**
 * What the watcher beside k6 saw of this machine, as it is kept: totals since its start, so that the mean over any time between two
 * points is exact however few points are left of a long run.
 *
 * @typedef {object} HostWatch
 * @property {'mcp-load-lab/host-watch/1'} schema
 * @property {number} cores of the machine
 * @property {'own' | 'found' | 'unknown' | 'elsewhere'} target whose processes are the target's: the stack's or the test's own, those
 *   that listen on its port, not known which, or on another machine
 * @property {{at_s: number, by_s: number}[]} jumps of the wall clock against the monotonic one
 * @property {string[]} columns of a point, see COLUMNS
 * @property {(number | null)[][]} points totals since the first one; null: not known
 * @property {[string, number][][]} others by point: names of the programs among `other` that used most since the point before, and
 *   their seconds
 *
 * @typedef {'generator' | 'db' | 'cache' | 'target' | 'stack' | 'other'} Group
 * @typedef {typeof COLUMNS[number]} Column
 *
 * @typedef {object} Look
 * @property {number} wallS
 * @property {number} monotonicS
 * @property {import('./host-watch-processes.js').Process[]} processes
 * @property {Map<number, Group | 'ignored'>} roots by pid: it and what it started are of that group
 * @property {Record<string, {ran: number, waited: number}>} threads of the generator
 * @property {number} allowedCores that the generator may use
 * @property {{busy: number, stolen: number}} machine
 * @property {number} costS CPU that watching took
 */

/** at_s is Unix time; delay_s and delays: of k6's answers to its watcher, added up and counted; all others seconds of CPU. */
export const COLUMNS = /** @type {const} */ ([
  'at_s',
  'generator',
  'db',
  'cache',
  'target',
  'stack',
  'other',
  'generator_ran',
  'generator_waited',
  'generator_allowed',
  'machine_busy',
  'machine_stolen',
  'watcher',
  'delay_s',
  'delays',
]);

/** Twice a timeline's: never less than one for each of its points. */
const MOST_POINTS = 3600;
/** Beyond this the wall clock was set, and did not only drift. */
const JUMP_S = 1;
const MOST_JUMPS = 20;
const NAMED_OTHERS = 3;

const INIT = 1;
/** @type {readonly Group[]} */
const GROUPS = ['generator', 'db', 'cache', 'target', 'stack', 'other'];

export class HostRecord {
  #cores;
  /** @type {HostWatch['target']} */
  target = 'unknown';
  /** @type {HostWatch['jumps']} */
  #jumps = [];
  /** @type {number[][]} */
  #points = [];
  /** @type {[string, number][][]} */
  #others = [];
  /** Points are kept each so many looks. */
  #every = 1;
  #looks = 0;

  /** @type {Map<string, {group: Group | 'ignored', parent: string, own: number, children: number}>} */
  #known = new Map();
  /** Seconds of CPU by group. */
  #used = new Map(GROUPS.map((group) => [group, 0]));
  /** Groups of which a process was seen. @type {Set<string>} */
  #seen = new Set(['other']);
  /** Of those who are not ours, since the last point that was kept. @type {Map<string, number>} */
  #usedByOthers = new Map();
  /** @type {Look['threads']} */
  #threads = {};
  #ran = 0;
  #waited = 0;
  #allowed = 0;
  #delayS = 0;
  #delays = 0;
  /** @type {Look | null} */
  #before = null;

  /** @param {number} cores of the machine */
  constructor(cores) {
    this.#cores = cores;
  }

  /**
   * How long k6 took to take up what had arrived for it.
   *
   * @param {number} seconds
   * @param {number} everyS how often it was asked. Where the answer took longer, those who would have asked meanwhile waited, too
   */
  delayed(seconds, everyS) {
    for (let waited = seconds; waited > 0; waited -= everyS) {
      this.#delayS += waited;
      this.#delays += 1;
    }
  }

  /** @param {Look} look */
  look(look) {
    const before = this.#before;
    if (before) {
      const passedS = look.monotonicS - before.monotonicS;
      const by = look.wallS - before.wallS - passedS;
      if (Math.abs(by) > JUMP_S && this.#jumps.length < MOST_JUMPS)
        this.#jumps.push({ at_s: rounded(look.wallS), by_s: rounded(by) });
      this.#allowed += look.allowedCores * passedS;
    }
    this.#count(look, before !== null);
    this.#countThreads(look.threads);
    this.#before = look;
    this.#keep(look);
  }

  /** @param {Look} look @param {boolean} counted false: the first look, from which is counted */
  #count({ processes, roots }, counted) {
    const alive = new Map(processes.map((one) => [one.pid, one]));
    /** @param {{pid: number, start: string}} one */
    const keyOf = ({ pid, start }) => `${pid} ${start}`;
    const keys = new Set(processes.map(keyOf));
    // What a process that is gone had used by then stands a second time in the account of the one that waited for it.
    /** @type {Map<string, number>} */
    const twice = new Map();
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

  /** @param {Look['threads']} threads */
  #countThreads(threads) {
    for (const [tid, { ran, waited }] of Object.entries(threads)) {
      const last = this.#threads[tid];
      this.#ran += ran - (last?.ran ?? 0);
      this.#waited += waited - (last?.waited ?? 0);
    }
    this.#threads = threads;
  }

  /** @param {Look} look */
  #keep({ wallS, machine, costS }) {
    this.#looks += 1;
    if ((this.#looks - 1) % this.#every !== 0) return;
    this.#points.push(
      [
        wallS,
        ...GROUPS.map((group) => this.#used.get(group) ?? 0),
        this.#ran,
        this.#waited,
        this.#allowed,
        machine.busy,
        machine.stolen,
        costS,
        this.#delayS,
        this.#delays,
      ].map(rounded),
    );
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

  /** @returns {HostWatch} */
  document() {
    const unknown = new Set(COLUMNS.filter((column) => this.#unknown(column)));
    return {
      schema: 'mcp-load-lab/host-watch/1',
      cores: this.#cores,
      target: this.target,
      jumps: this.#jumps,
      columns: [...COLUMNS],
      points: this.#points.map((point) =>
        point.map((value, index) => (unknown.has(/** @type {Column} */ (COLUMNS[index])) ? null : value)),
      ),
      others: this.#others,
    };
  }

  /** @param {Column} column @returns {boolean} nothing of it was ever seen: what was not yet is 0 */
  #unknown(column) {
    if (column === 'delay_s' || column === 'delays') return this.#delays === 0;
    const [group] = column.split('_');
    return GROUPS.some((one) => one === group) && !this.#seen.has(group ?? '');
  }
}

/**
 * @param {import('./host-watch-processes.js').Process} process
 * @param {Map<number, import('./host-watch-processes.js').Process>} alive by pid
 * @param {Look['roots']} roots
 * @returns {Group | 'ignored' | null} that of the nearest root among those that started it; null: there is none
 */
function groupOf(process, alive, roots) {
  for (let at = alive.get(process.pid); at; at = alive.get(at.parent)) {
    const group = roots.get(at.pid);
    if (group) return group;
  }
  return null;
}

/** @param {[string, number][]} used @returns {[string, number][]} those of a name in one, the most first */
function largest(used) {
  /** @type {Map<string, number>} */
  const byName = new Map();
  for (const [name, seconds] of used) byName.set(name, (byName.get(name) ?? 0) + seconds);
  return [...byName]
    .sort(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .slice(0, NAMED_OTHERS)
    .map(([name, seconds]) => [name, rounded(seconds)]);
}

/** @param {number} value @returns {number} a ten-thousandth is less than what is measured */
const rounded = (value) => Math.round(value * 1e4) / 1e4;
