/** The page of a running test. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Prometheus } from '../../analysis/collect/prometheus.ts';
import { FILE } from '../../analysis/collect/seconds.ts';
import type { Timeline } from '../../analysis/collect/timeline.ts';
import { figuresOf } from '../../analysis/report/figures.ts';
import { plotsOf } from '../../analysis/report/plots.ts';
import { phasesSection } from '../../analysis/report/run-page.ts';
import { UTILIZATION } from '../../contract/signals.js';
import { clock } from '../../contract/units.js';
import type { Page } from '../../page/model.ts';
import type { Plan } from '../run/inspect.ts';
import { figuresOf as lineFiguresOf, MUCH, phaseAt, progressLine, WINDOW_S } from '../run/progress.ts';
import { SecondsTail } from '../run/seconds-tail.ts';
import { LivePhases } from './live-phases.ts';
import { LiveTimeline } from './live-timeline.ts';

/** Time without output after which a run counts as ended: a run writes at least every ten seconds. */
const SILENT_S = 120;

/** plan.json: `watched_server` is the label `server` of the signals of the server under test. */
type Watched = Plan & { watched_server?: string };

export class LiveRun {
  readonly #folder: string;
  readonly #timeline: LiveTimeline;
  readonly #phases = new LivePhases();
  /** By name of the k6 run; '' if there is only one. */
  readonly #tails = new Map<string, SecondsTail>();
  #plan: Watched | null = null;

  /** @param folder the results folder @param prometheus null = the server's signals are not available */
  constructor(folder: string, prometheus: Prometheus | null) {
    this.#folder = folder;
    this.#timeline = new LiveTimeline(prometheus);
  }

  /** Builds the page from the results so far. */
  async page(nowS = Date.now() / 1000): Promise<Page> {
    this.#plan ??= readPlan(this.#folder);
    this.#readNew();
    const plan = this.#plan;
    const tail = this.#tails.get('');
    const phases = plan && tail ? this.#phases.ofPlan(plan, tail.startedS, nowS) : this.#phases.ofRuns(nowS);
    const [first = null] = phases.flatMap(({ start }) => (start === null ? [] : [start])).sort();
    const testid = plan?.testid ?? basename(this.#folder);
    const timeline = await this.#timeline.until(phases, { testid, server: plan?.watched_server ?? '' });
    const thresholds = plan && tail ? this.#phases.thresholds(plan, phases) : [];
    const run = { started: first, phases, thresholds, findings: [], sessions: null };
    const section = phasesSection(run);
    return {
      outcome: 'running',
      headline: this.#headline(nowS, timeline),
      title: plan?.title ?? testid,
      reasons: [],
      about: [testid, plan?.target.url ?? ''].filter((text) => text !== ''),
      figures: figuresOf(run),
      plots: timeline && { ...plotsOf(run, timeline), charts: [] },
      noPlots: 'No call has been made yet.',
      findings: null,
      sections: section ? [section] : [],
    };
  }

  #readNew() {
    const has = (name: string) => statSync(join(this.#folder, name, FILE), { throwIfNoEntry: false });
    for (const name of ['', ...foldersIn(this.#folder)].filter(has)) {
      const tail =
        this.#tails.get(name) ??
        new SecondsTail(join(this.#folder, name), WINDOW_S, (second, groups) => {
          this.#timeline.take(second, groups);
          this.#phases.take(name, second, groups);
        });
      this.#tails.set(name, tail);
      tail.read();
    }
  }

  #headline(nowS: number, timeline: Timeline | null): string {
    const lastS = lastWrite(this.#folder);
    if (nowS - lastS > SILENT_S)
      return `ENDED: nothing has been written since ${new Date(lastS * 1000).toISOString().slice(11, 19)} UTC, and there is no verdict.`;
    const plan = this.#plan;
    const tail = this.#tails.get('');
    if (!plan || !tail || tail.startedS === null) {
      const name = [...this.#tails.keys()].at(-1);
      return name ? `RUNNING: ${name}.` : 'RUNNING: the load has not begun yet.';
    }
    const elapsedS = nowS - tail.startedS;
    const end = plan.phases.at(-1);
    if (end && !plan.sequence && elapsedS > end.start_s + end.duration_s)
      return `RUNNING: ${clock(elapsedS)}, the load has ended and is being judged.`;
    const phase = plan.sequence ? null : phaseAt(plan, elapsedS);
    const line = progressLine(plan, elapsedS, lineFiguresOf(tail, phase, mostUsed(timeline)));
    return `RUNNING: ${line.replace('  ', ', ')}.`;
  }
}

/** The most used resource, as in the progress line. */
function mostUsed(timeline: Timeline | null) {
  const shares = UTILIZATION.map((signal) => ({
    signal,
    share: timeline?.signals[signal]?.values.findLast((value) => value !== null) ?? 0,
  }));
  return shares.filter(({ share }) => share >= MUCH).sort((a, b) => b.share - a.share)[0] ?? null;
}

const foldersIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** @returns Unix seconds */
function lastWrite(folder: string): number {
  const times = readdirSync(folder, { recursive: true }).map(
    (name) => statSync(join(folder, String(name)), { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(statSync(folder).mtimeMs, ...times) / 1000;
}

function readPlan(folder: string): Watched | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
  } catch {
    return null;
  }
}
