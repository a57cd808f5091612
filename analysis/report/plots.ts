/**
 * Builds the charts of a run: the strip at the top, one below each finding, and one for every series that
 * changed.
 */

import { SIGNALS, titleOf, UTILIZATION } from '../../contract/signals.js';
import { perSecond } from '../../contract/units.js';
import type { Chart, Colour, Line, Mark, Plots, Span } from '../../page/model.ts';
import { timesOf } from '../collect/grid.ts';
import { seriesOf, type Timeline } from '../collect/timeline.ts';
import type { Run } from '../judge/run.ts';
import { numbered } from '../render/observations.ts';
import { isAveraged } from './averaged.ts';

export type Shown = Pick<Run, 'started' | 'phases' | 'thresholds' | 'findings'>;
type Values = (number | null)[];

/**
 * Ratio of the highest to the lowest value from which on the axis is logarithmic, because a linear axis would
 * show only the highest values.
 */
const LOGARITHMIC_FROM = 25;
/** More precision than pixels can show. */
const DIGITS = 5;
const MAX_RESOURCES = 4;
const COLOURS: Colour[] = ['blue', 'orange', 'green', 'purple', 'quiet'];

/** @param series `client.p99`, or a signal's name @returns the ID of its chart */
export const chartId = (series: string) => `chart-${series.replace(/[^\w-]/g, '-')}`;

export function plotsOf(run: Shown, given: Timeline): Plots {
  const timeline = { ...given, client: given.drawn ?? given.client };
  const startedS = run.started === null ? timeline.start_s : Date.parse(run.started) / 1000;
  const strip = [
    loadLane(timeline),
    troubleLane(run, timeline),
    resourceLane(run, timeline),
    cpuLane(timeline),
  ];
  const charts = [...findingCharts(run, timeline), ...seriesCharts(run, timeline)];
  const lanes = strip.filter(({ lines }) => lines.length > 0);
  const names = new Set([...lanes, ...charts].flatMap(({ lines }) => lines.map(({ series }) => series)));
  return {
    startedS,
    fromS: timeline.start_s - startedS,
    stepS: timeline.step_s,
    series: Object.fromEntries([...names].map((name) => [name, short(valuesOf(name, run, timeline))])),
    phases: spansOf(run, startedS),
    marks: marksOf(run, startedS),
    strip: lanes,
    charts,
  };
}

const short = (values: Values) =>
  values.map((value) => (value === null ? null : Number(value.toPrecision(DIGITS))));

function valuesOf(name: string, run: Shown, timeline: Timeline): Values {
  if (name.startsWith('limit.')) return limitOverTime(name.slice('limit.'.length), run, timeline);
  if (name === OTHERS) return others(timeline);
  return seriesOf(timeline, name)?.values ?? [];
}

const isKnown = (name: string, timeline: Timeline) =>
  seriesOf(timeline, name)?.values.some((value) => value !== null) ?? false;
const isMoved = (name: string, timeline: Timeline) =>
  seriesOf(timeline, name)?.values.some((value) => value !== null && value !== 0) ?? false;

function spansOf({ phases }: Shown, startedS: number): Span[] {
  return phases.flatMap(({ name, start, end, measured, overload }) => {
    if (start === null || end === null) return [];
    const [fromS, toS] = [Date.parse(start) / 1000 - startedS, Date.parse(end) / 1000 - startedS];
    return [{ name, kind: measured ? (overload ? 'overload' : 'measured') : 'unmeasured', fromS, toS }];
  });
}

function marksOf(run: Shown, startedS: number): Mark[] {
  return numbered(run.findings).flatMap(({ number, finding: { observations = [] } }) => {
    const moments = new Set(observations.flatMap(({ at }) => (at === null ? [] : [Date.parse(at) / 1000])));
    return [...moments].map((atS) => ({ finding: number, atS: atS - startedS }));
  });
}

/**
 * Client series from Prometheus are averages over a window. Series from the load generator have one value per
 * second.
 */
const averaged = ({ drawn, window_s }: Timeline) => (drawn ? '' : `, ${window_s} s average`);

function loadLane(timeline: Timeline): Chart {
  const lines: Line[] = [
    { series: 'client.offered', name: 'target', colour: 'text', isDashed: true },
    { series: 'client.iterations', name: 'achieved', colour: 'blue' },
    { series: 'client.dropped', name: 'dropped', colour: 'orange' },
  ];
  return {
    id: 'strip-load',
    title: 'Load',
    about: `iterations a second${averaged(timeline)}`,
    unit: 'rate',
    lines: lines.filter(({ series }) =>
      series === 'client.dropped' ? isMoved(series, timeline) : isKnown(series, timeline),
    ),
  };
}

function troubleLane(run: Shown, timeline: Timeline): Chart {
  const p99 = timeline.client.p99?.values ?? [];
  const isLogarithmic = spread(p99) >= LOGARITHMIC_FROM;
  const limited = (metric: string) => limitOverTime(metric, run, timeline).some((value) => value !== null);
  const lines: Line[] = [
    { series: 'client.p99', name: 'p99', colour: 'blue' },
    { series: 'limit.p99_ms', name: 'limit of p99', colour: 'blue', isDashed: true },
    { series: 'client.failed', name: 'failed', colour: 'orange', isRight: true },
    {
      series: 'limit.failure_rate',
      name: 'limit of failed',
      colour: 'orange',
      isDashed: true,
      isRight: true,
    },
  ];
  return {
    id: 'strip-latency',
    title: 'Latency and failures',
    about: `p99${timeline.drawn ? ' (at least 100 answers per phase)' : ''} on the left axis${isLogarithmic ? ' (logarithmic)' : ''}, failed requests on the right${averaged(timeline)}`,
    unit: 'milliseconds',
    rightUnit: 'ratio',
    ...(isLogarithmic && { isLogarithmic }),
    lines: lines.filter(({ series }) =>
      series.startsWith('limit.') ? limited(series.slice('limit.'.length)) : isKnown(series, timeline),
    ),
  };
}

/** @returns the ratio of the highest to the lowest positive value */
function spread(values: Values): number {
  const positive = values.filter((value) => value !== null && value > 0) as number[];
  return positive.length === 0 ? 1 : Math.max(...positive) / Math.min(...positive);
}

/** Shows resources of findings first, then the most used ones. */
function resourceLane({ findings }: Shown, timeline: Timeline): Chart {
  const named = findings.flatMap(({ observations = [] }) => observations.map(({ series }) => series));
  const peak = (name: string) =>
    Math.max(0, ...(timeline.signals[name]?.values ?? []).map((value) => value ?? 0));
  const used = UTILIZATION.filter((name) => name !== 'cpu').sort((a, b) => peak(b) - peak(a));
  const chosen = [...new Set([...named.filter((name) => UTILIZATION.includes(name)), ...used])]
    .filter((name) => isMoved(name, timeline))
    .slice(0, MAX_RESOURCES);
  return {
    id: 'strip-resources',
    title: 'Resources',
    about: `in use, of their limit; CPU is a ${timeline.window_s} s average`,
    unit: 'ratio',
    max: 1,
    lines: chosen.map((series, index) => ({
      series,
      name: titleOf(series, 'ratio'),
      colour: COLOURS[index] ?? 'quiet',
    })),
  };
}

/** The machine's CPU that is used neither by the server nor by the generator. */
const OTHERS = 'derived.other_cpu';

function others({ signals: { host_cpu, cpu, generator_cpu } }: Timeline): Values {
  return (host_cpu?.values ?? []).map((all, index) =>
    all === null ? null : Math.max(0, all - (cpu?.values[index] ?? 0) - (generator_cpu?.values[index] ?? 0)),
  );
}

function cpuLane(timeline: Timeline): Chart {
  const lines: Line[] = [
    { series: 'cpu', name: 'server', colour: 'blue' },
    { series: 'generator_cpu', name: 'load generator', colour: 'orange' },
    { series: OTHERS, name: 'others', colour: 'quiet' },
  ];
  return {
    id: 'strip-cpu',
    title: 'CPU',
    about: `of all the machine's cores, ${timeline.window_s} s average`,
    unit: 'ratio',
    max: 1,
    lines: lines.filter(({ series }) => isKnown(series === OTHERS ? 'host_cpu' : series, timeline)),
  };
}

function findingCharts(run: Shown, timeline: Timeline): Chart[] {
  return numbered(run.findings).flatMap(({ number, finding: { observations = [] } }) => {
    const observation = observations.find(
      ({ series }) => !series.startsWith('client.') && isMoved(series, timeline),
    );
    if (!observation) return [];
    const limits = observation.threshold === null ? [] : [observation.threshold];
    return [
      { ...seriesChart(observation.series, timeline), id: findingChartId(number), limits, finding: number },
    ];
  });
}

export const findingChartId = (number: number) => `finding-${number}-chart`;

/** Signals are in the order of contract/signals.js, followed by all others. */
function seriesCharts(run: Shown, timeline: Timeline): Chart[] {
  const known = Object.keys(SIGNALS).map((name) => name.split(':')[0] ?? '');
  const rank = (name: string) => (known.includes(name) ? known.indexOf(name) : known.length);
  const names = Object.keys(timeline.signals)
    .filter((name) => isMoved(name, timeline))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  return [...clientCharts(run, timeline), ...names.map((name) => seriesChart(name, timeline))];
}

const CLIENT = {
  Latency: ['p50', 'p95', 'p99', 'mean'],
  Requests: ['requests', 'answered'],
  'Virtual users': ['vus'],
};

function clientCharts({ findings }: Shown, timeline: Timeline): Chart[] {
  const kinds = Object.keys(timeline.client).filter((name) => name.startsWith('failures_'));
  return Object.entries({ ...CLIENT, 'Failures by kind': kinds.sort() }).flatMap(([title, names]) => {
    const seriesNames = names.map((name) => `client.${name}`).filter((name) => isMoved(name, timeline));
    const [first] = seriesNames;
    if (first === undefined) return [];
    const lines = seriesNames.map((series, index) => ({
      series,
      name: series.replace(/^client\.(failures_)?/, '').replaceAll('_', ' '),
      colour: COLOURS[index % COLOURS.length] ?? 'quiet',
    }));
    const capacities = findings.flatMap(({ kind, figures }) =>
      title === 'Requests' && kind === 'capacity' ? (figures.answers_per_s ?? []) : [],
    );
    const about = [
      aboutClient(title, timeline),
      seriesNames.includes('client.answered') && 'answered: counted when the answer arrives',
      ...capacities.map((capacity) => `dashed line: capacity ${perSecond(capacity)}`),
    ]
      .filter(Boolean)
      .join('; ');
    const unit = seriesOf(timeline, first)?.unit ?? 'count';
    return [
      {
        ...{ id: chartId(first), title, ...(about !== '' && { about }), unit, lines },
        ...(capacities.length > 0 && { limits: capacities }),
      },
    ];
  });
}

/** VUs are a count at a point in time; all other series cover a time span. */
function aboutClient(title: string, timeline: Timeline): string {
  if (!timeline.drawn) return title === 'Virtual users' ? '' : `${timeline.window_s} s average`;
  return title === 'Latency' ? 'p99: at least 100 answers per phase' : '';
}

function seriesChart(name: string, timeline: Timeline): Chart {
  const unit = seriesOf(timeline, name)?.unit ?? 'count';
  const signal = SIGNALS[`${name}:${unit}`];
  const max = unit === 'ratio' && signal && !signal.above1 ? 1 : undefined;
  const window = isAveraged(name, unit) ? `${timeline.window_s} s average.` : '';
  const about = [signal?.description, window].filter(Boolean).join(' ');
  const title = titleOf(name, unit);
  return {
    id: chartId(name),
    title,
    ...(about && { about }),
    unit,
    ...(max !== undefined && { max }),
    lines: [{ series: name, name: title, colour: 'blue' }],
  };
}

/** @returns for each point, the lowest limit of its phase or of the whole run */
function limitOverTime(metric: string, { thresholds, phases }: Shown, timeline: Timeline): Values {
  const limits = thresholds.flatMap(({ metric: its, limit, relative_to, scope, op }) =>
    its === metric && limit !== null && relative_to === null && op?.startsWith('<') ? [{ scope, limit }] : [],
  );
  return timesOf(timeline).map((atS) => {
    const ms = atS * 1000;
    const phase = phases.find(
      ({ measured, start, end }) =>
        measured && start !== null && end !== null && Date.parse(start) <= ms && ms <= Date.parse(end),
    );
    if (!phase) return null;
    const own = limits.filter(
      ({ scope }) => scope.phase === phase.name || (Object.keys(scope).length === 0 && !phase.overload),
    );
    return own.length > 0 ? Math.min(...own.map(({ limit }) => limit)) : null;
  });
}
