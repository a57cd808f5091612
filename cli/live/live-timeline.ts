/**
 * The last twenty minutes of a running test: k6's results per second and the server's signals from
 * Prometheus.
 */
import { seriesOfWindows } from '../../analysis/collect/client-series.ts';
import { drawnSeries } from '../../analysis/collect/drawn-series.ts';
import { type Grid, timesOf } from '../../analysis/collect/grid.ts';
import type { Prometheus } from '../../analysis/collect/prometheus.ts';
import { type Group, type Second, Within } from '../../analysis/collect/seconds.ts';
import { ALL, ownSignals, RULE_WINDOW_S, STEP_S, type Subject } from '../../analysis/collect/signals.ts';
import type { Timeline } from '../../analysis/collect/timeline.ts';
import type { Run } from '../../analysis/judge/run.ts';

/** Points in twenty minutes. */
const POINTS = 600;
/** Maximum delay of a signal in Prometheus. Consecutive queries overlap by this time. */
const LATE_S = 8;

interface Signal {
  unit: string;
  /** By Unix second. */
  values: Map<number, number>;
}

export class LiveTimeline {
  readonly #prometheus: Prometheus | null;
  /** By Unix second. Keeps only the seconds that later windows need. */
  readonly #seconds = new Map<number, [Second, ReadonlyMap<string, Group>][]>();
  /** One per point, the last one at #lastS. */
  #windows: Within[] = [];
  /** One per point. Each covers the step before the point. */
  #steps: Within[] = [];
  #lastS = 0;
  readonly #signals = new Map<string, Signal>();
  #askedS = 0;

  constructor(prometheus: Prometheus | null) {
    this.#prometheus = prometheus;
  }

  take(second: Second, groups: ReadonlyMap<string, Group>) {
    this.#addToDrawn(second, groups);
    this.#seconds.set(second.at, [...(this.#seconds.get(second.at) ?? []), [second, groups]]);
  }

  /** Adds late answers to seconds that have already been drawn. */
  #addToDrawn(second: Second, groups: ReadonlyMap<string, Group>) {
    const groupOf = (number: string) => groups.get(number);
    const count = this.#windows.length;
    for (const [index, window] of this.#windows.entries()) {
      const toS = this.#lastS - (count - 1 - index) * STEP_S;
      if (second.at < toS && second.at >= toS - RULE_WINDOW_S) window.add(second, groupOf);
      if (second.at < toS && second.at >= toS - STEP_S) this.#steps[index]?.add(second, groupOf);
    }
  }

  /** @returns null if there is no point yet */
  async until(phases: Run['phases'], subject: Subject): Promise<Timeline | null> {
    this.#addWindows();
    const count = this.#windows.length;
    if (count === 0) return null;
    const start_s = this.#lastS - (count - 1) * STEP_S;
    const grid: Grid = { start_s, step_s: STEP_S, count, window_s: RULE_WINDOW_S };
    await this.#ask(start_s, subject);
    return {
      schema: 'mcp-load-lab/timeline/1',
      testid: subject.testid,
      ...grid,
      client: seriesOfWindows(this.#windows, grid, phases),
      // The step after the last point is incomplete.
      drawn: drawnSeries([...this.#steps.slice(1), new Within()], grid, phases),
      signals: this.#signalsOn(grid),
    };
  }

  /** Adds windows of complete seconds. */
  #addWindows() {
    const known = [...this.#seconds.keys()];
    const newestS = Math.max(0, ...known);
    if (newestS === 0) return;
    if (this.#lastS === 0) this.#lastS = Math.max(Math.min(...known), newestS - POINTS * STEP_S);
    while (this.#lastS + STEP_S <= newestS) {
      this.#lastS += STEP_S;
      this.#windows.push(this.#last(RULE_WINDOW_S));
      this.#steps.push(this.#last(STEP_S));
    }
    this.#windows = this.#windows.slice(-POINTS);
    this.#steps = this.#steps.slice(-POINTS);
    for (const at of known) if (at < this.#lastS - RULE_WINDOW_S) this.#seconds.delete(at);
  }

  #last(lengthS: number): Within {
    const sums = new Within();
    for (let at = this.#lastS - lengthS; at < this.#lastS; at += 1)
      for (const [second, groups] of this.#seconds.get(at) ?? [])
        sums.add(second, (number) => groups.get(number));
    return sums;
  }

  /** Queries only new data. After a failure the next query repeats it. */
  async #ask(start_s: number, subject: Subject) {
    if (!this.#prometheus || this.#askedS === this.#lastS) return;
    const back = Math.ceil((this.#lastS - Math.max(start_s, this.#askedS - LATE_S)) / STEP_S) * STEP_S;
    const series = await this.#prometheus
      .queryRange(ALL, this.#lastS - back, this.#lastS, STEP_S)
      .catch(() => null);
    if (!series) return;
    this.#askedS = this.#lastS;
    for (const { signal, unit, points } of ownSignals(series, subject).own) {
      const one = this.#signals.get(signal) ?? { unit, values: new Map() };
      for (const [atS, value] of points) one.values.set(Math.round(atS), value);
      this.#signals.set(signal, one);
    }
  }

  #signalsOn(grid: Grid): Timeline['signals'] {
    return Object.fromEntries(
      [...this.#signals].map(([name, { unit, values }]) => {
        for (const atS of values.keys()) if (atS < grid.start_s) values.delete(atS);
        return [name, { unit, values: timesOf(grid).map((atS) => values.get(atS) ?? null) }];
      }),
    );
  }
}
