/** Reads the output lab of a running test: its last seconds, and the sums of each phase. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { FILE, type Group, parsed, type Second, Within } from '../../analysis/collect/seconds.ts';

/** Bytes per read. */
const PIECE = 1 << 20;
const STARTED = 'mcp_started_seconds';
const STEP_ITERATIONS = 'mcp_step_iterations';

type OnSecond = (second: Second, groups: ReadonlyMap<string, Group>) => void;

export class SecondsTail {
  /** Unix time of the start of the phases, seconds; null = not started. */
  startedS: number | null = null;
  /**
   * By phase: the second of its first request, its requests, its iterations, and the calls of completed
   * steps.
   */
  readonly firstS = new Map<string, number>();
  readonly requests = new Map<string, number>();
  readonly iterations = new Map<string, number>();
  readonly made = new Map<string, number>();
  readonly #file: string;
  readonly #keptS: number;
  readonly #groups = new Map<string, Group>();
  #offset = 0;
  #rest = '';
  /**
   * Each line with the newest second at the time it was read. A late line of an earlier second counts as new.
   */
  #recent: { line: Second; readAt: number }[] = [];
  #newest = 0;

  readonly #onSecond: OnSecond;

  /** @param keptS number of seconds to keep @param onSecond receives each second as it is read */
  constructor(folder: string, keptS: number, onSecond: OnSecond = () => {}) {
    this.#file = join(folder, FILE);
    this.#keptS = keptS;
    this.#onSecond = onSecond;
  }

  /** Reads new lines. @throws if the file does not exist yet */
  read() {
    const file = openSync(this.#file, 'r');
    try {
      const { size } = fstatSync(file);
      while (this.#offset < size) {
        const piece = Buffer.alloc(Math.min(PIECE, size - this.#offset));
        this.#offset += readSync(file, piece, 0, piece.length, this.#offset);
        // The file is ASCII.
        const lines = (this.#rest + piece.toString('latin1')).split('\n');
        this.#rest = lines.pop() ?? '';
        for (const line of lines) this.#take(line);
      }
    } finally {
      closeSync(file);
    }
  }

  #take(line: string) {
    const read = parsed(line);
    if (!read) return;
    if ('group' in read) {
      this.#groups.set(String(read.group), read);
      return;
    }
    this.#newest = Math.max(this.#newest, read.at);
    this.#recent = [...this.#recent, { line: read, readAt: this.#newest }].filter(
      ({ readAt }) => readAt > this.#newest - this.#keptS,
    );
    this.#onSecond(read, this.#groups);
    for (const [number, { requests = 0, iterations = 0, metrics = {} }] of Object.entries(
      read.groups ?? {},
    )) {
      const phase = this.#groups.get(number)?.phase ?? '';
      this.startedS ??= metrics[STARTED]?.range?.[0] ?? null;
      if (requests > 0 && !this.firstS.has(phase)) this.firstS.set(phase, read.at);
      this.requests.set(phase, (this.requests.get(phase) ?? 0) + requests);
      this.iterations.set(phase, (this.iterations.get(phase) ?? 0) + iterations);
      this.made.set(phase, (this.made.get(phase) ?? 0) + (metrics[STEP_ITERATIONS]?.sum ?? 0));
    }
  }

  /**
   * @param phase undefined = all phases
   * @returns the sums over the last complete seconds of the phase, and their number; null = none
   */
  last(phase: string | undefined): { sums: Within; seconds: number } | null {
    const sinceS = phase === undefined ? 0 : (this.firstS.get(phase) ?? Number.POSITIVE_INFINITY);
    // The phase began in the middle of its first second.
    const whole = this.#recent.filter(({ readAt }) => readAt > sinceS);
    const seconds = new Set(whole.map(({ readAt }) => readAt)).size;
    if (seconds === 0) return null;
    const sums = new Within();
    for (const { line } of whole)
      sums.add(line, (number) => this.#groups.get(number), phase === undefined ? undefined : [phase]);
    return { sums, seconds };
  }
}
