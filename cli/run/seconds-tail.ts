/** What the output lab has written of a run that goes on: its last seconds, and the sums of each phase. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { FILE, type Group, parsed, type Second, Within } from '../../analysis/collect/seconds.ts';

/** Bytes that are read at once. */
const PIECE = 1 << 20;
const STARTED = 'mcp_started_seconds';
const STEP_ITERATIONS = 'mcp_step_iterations';

type OnSecond = (second: Second, groups: ReadonlyMap<string, Group>) => void;

export class SecondsTail {
  /** Unix seconds at which the phases began; null: they have not. */
  startedS: number | null = null;
  /** By phase: the second of its first request, its requests, and of a step that is over its calls. */
  readonly firstS = new Map<string, number>();
  readonly requests = new Map<string, number>();
  readonly made = new Map<string, number>();
  readonly #file: string;
  readonly #keptS: number;
  readonly #groups = new Map<string, Group>();
  #offset = 0;
  #rest = '';
  /** Lines, each with the newest second of when it was read: a further line of an earlier second is as new as that. */
  #recent: { line: Second; readAt: number }[] = [];
  #newest = 0;

  readonly #onSecond: OnSecond;

  /** @param keptS how many of the last seconds are kept @param onSecond gets each as it is read */
  constructor(folder: string, keptS: number, onSecond: OnSecond = () => {}) {
    this.#file = join(folder, FILE);
    this.#keptS = keptS;
    this.#onSecond = onSecond;
  }

  /** Takes what is new. @throws where there is no such file yet */
  read() {
    const file = openSync(this.#file, 'r');
    try {
      const { size } = fstatSync(file);
      while (this.#offset < size) {
        const piece = Buffer.alloc(Math.min(PIECE, size - this.#offset));
        this.#offset += readSync(file, piece, 0, piece.length, this.#offset);
        // It is ASCII.
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
    for (const [number, { requests = 0, metrics = {} }] of Object.entries(read.groups ?? {})) {
      const phase = this.#groups.get(number)?.phase ?? '';
      this.startedS ??= metrics[STARTED]?.range?.[0] ?? null;
      if (requests > 0 && !this.firstS.has(phase)) this.firstS.set(phase, read.at);
      this.requests.set(phase, (this.requests.get(phase) ?? 0) + requests);
      this.made.set(phase, (this.made.get(phase) ?? 0) + (metrics[STEP_ITERATIONS]?.sum ?? 0));
    }
  }

  /**
   * @param phase of it alone; undefined: of all
   * @returns the sums of what ended in the last whole seconds in which it went on, and how many these are; null: there are none
   */
  last(phase: string | undefined): { sums: Within; seconds: number } | null {
    const sinceS = phase === undefined ? 0 : (this.firstS.get(phase) ?? Number.POSITIVE_INFINITY);
    // The second in which it began was not all its own.
    const whole = this.#recent.filter(({ readAt }) => readAt > sinceS);
    const seconds = new Set(whole.map(({ readAt }) => readAt)).size;
    if (seconds === 0) return null;
    const sums = new Within();
    for (const { line } of whole)
      sums.add(line, (number) => this.#groups.get(number), phase === undefined ? undefined : [phase]);
    return { sums, seconds };
  }
}
