/** Makes the charts of one run: which of them have anything to show, as panels that the viewer's renderer draws. */
import { SIGNALS } from '../../dashboards/signals.ts';
import { numbered } from '../render/observations.js';
import { CLIENT_CHARTS, OWN_SIGNALS, PROCESSOR_SHARES, SIGNAL_GROUPS, UNITS } from './charts.js';

/**
 * @typedef {object} Chart
 * @property {string} id
 * @property {string[]} anchors ids of the series in it that have no chart of their own
 * @property {string} topic what it is about; '' for clients
 * @property {string} title
 * @property {string} description
 * @property {any} panel
 * @property {{series: string, name: string}[]} lines
 * @property {import('../../viewer/page/annotations.js').Mark[]} marks
 *
 * @typedef {object} ChartList
 * @property {{title: string, charts: Chart[]}[]} groups
 * @property {{id: string, title: string}[]} quiet signals that were zero throughout
 * @property {Record<string, (number | null)[]>} series that the charts draw
 *
 * @typedef {import('../run.js').Run} Run
 * @typedef {import('../timeline.js').Timeline} Timeline
 */

/** Pixels of every chart's value axis, so that the same moment is at the same place in all. */
const AXIS_WIDTH = 64;
/** From this ratio of the highest to the lowest on, a linear axis shows the highest alone. */
const LOGARITHMIC_FROM = 25;
/** Far more than pixels tell apart. */
const DIGITS = 5;
const MAX_MARK_TEXT = 160;
/** Of an axis with an end: a line that lies on it would be lost below the names of the phases. */
const HEADROOM = 1.12;

/** @param {string} series `client.p99`, or a signal's name @returns {string} the id of its place in the page */
export const chartId = (series) => `chart-${series.replace(/[^\w-]/g, '-')}`;

/**
 * @param {Run} run
 * @param {Timeline} timeline
 * @returns {ChartList}
 */
export function chartsOf(run, timeline) {
  /** @type {Record<string, (number | null)[]>} */
  const series = {};
  /** @param {string} name @param {(number | null)[]} values */
  const keep = (name, values) => {
    series[name] ??= values.map((value) => (value === null ? null : Number(value.toPrecision(DIGITS))));
  };
  const client = CLIENT_CHARTS.flatMap((chart) => clientChart(chart, run, timeline, keep));
  const known = SIGNAL_GROUPS.flatMap(({ signals }) => signals);
  const parts = PROCESSOR_SHARES.lines.map(({ signal }) => signal);
  const others = Object.keys(timeline.signals)
    .filter((name) => !known.includes(name) && !parts.includes(name))
    .sort();
  const server = [...SIGNAL_GROUPS, { title: 'Other', signals: others }].flatMap(({ title, signals }) => [
    ...(title === PROCESSOR_SHARES.group ? processorShares(run, timeline, keep) : []),
    ...signals.flatMap((name) => signalChart(name, title, run, timeline, keep)),
  ]);
  const drawn = new Set(server.flatMap(({ id, anchors }) => [id, ...anchors]));
  const quiet = Object.keys(timeline.signals)
    .filter((name) => isKnown(timeline.signals[name]) && !drawn.has(chartId(name)))
    .sort()
    .map((name) => ({
      id: chartId(name),
      title: signalWords(name, timeline.signals[name]?.unit ?? '').title,
    }));
  return {
    groups: [
      { title: 'Clients', charts: client },
      { title: 'Load generator, machine and server', charts: server },
    ].filter(({ charts }) => charts.length > 0),
    quiet,
    series,
  };
}

/** @param {import('../timeline.js').TimeSeries | undefined} series */
const isKnown = (series) => series?.values.some((value) => value !== null) ?? false;
/** @param {import('../timeline.js').TimeSeries | undefined} series */
const isMoved = (series) => series?.values.some((value) => value !== null && value !== 0) ?? false;

/** @typedef {(name: string, values: (number | null)[]) => void} Keep */

/**
 * @param {import('./charts.js').ClientChart} chart
 * @param {Run} run
 * @param {Timeline} timeline
 * @param {Keep} keep
 * @returns {Chart[]} [] without data
 */
function clientChart({ title, description, unit, lines, family, stacked, objective }, run, timeline, keep) {
  const more = family
    ? Object.keys(timeline.client)
        .filter((name) => name.startsWith(family))
        .sort()
        .map((name) => ({ series: name, name: name.slice(family.length).replaceAll('_', ' ') }))
    : [];
  /** @type {import('./charts.js').ClientChart['lines']} */
  const drawn = [...lines, ...more].filter(({ series }) => isKnown(timeline.client[series]));
  if (drawn.length === 0) return [];
  const values = drawn.flatMap(({ series }) => timeline.client[series]?.values ?? []);
  const named = drawn.map((line) => ({ ...line, series: `client.${line.series}` }));
  for (const { series } of drawn) keep(`client.${series}`, timeline.client[series]?.values ?? []);
  if (objective) {
    const limit = limitOverTime(objective, run, timeline);
    if (limit.some((value) => value !== null)) {
      keep(`limit.${objective}`, limit);
      named.push({ series: `limit.${objective}`, name: 'limit for p99', color: 'red', dashed: true });
    }
  }
  const ids = drawn.map(({ series }) => chartId(`client.${series}`));
  const isLogarithmic = unit === 'ms' && spread(values) >= LOGARITHMIC_FROM;
  return [
    {
      id: ids[0] ?? '',
      anchors: ids.slice(1),
      topic: '',
      title,
      description: isLogarithmic ? `${description} Logarithmic axis.` : description,
      panel: panelOf({ unit, lines: named, stacked, isLogarithmic }),
      lines: named.map(({ series, name }) => ({ series, name })),
      marks: findingMarks(
        run,
        named.map(({ series }) => series),
      ),
    },
  ];
}

/** @param {(number | null)[]} values @returns {number} the highest positive one, of the lowest */
function spread(values) {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    if (value === null || value <= 0) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return most / least;
}

/**
 * @param {string} name
 * @param {string} topic
 * @param {Run} run
 * @param {Timeline} timeline
 * @param {Keep} keep
 * @returns {Chart[]} [] where it was not seen, or was zero throughout
 */
function signalChart(name, topic, run, timeline, keep) {
  const found = timeline.signals[name];
  if (!found || !isMoved(found)) return [];
  keep(name, found.values);
  const { title, description, unit, max, steps } = signalWords(name, found.unit);
  const limits = thresholdsOf(run, name);
  return [
    {
      id: chartId(name),
      anchors: [],
      topic,
      title,
      description,
      panel: panelOf({ unit, lines: [{ series: name, name: title, color: 'blue' }], max, steps, limits }),
      lines: [{ series: name, name: title }],
      marks: findingMarks(run, [name]),
    },
  ];
}

/**
 * @param {Run} run
 * @param {Timeline} timeline
 * @param {Keep} keep
 * @returns {Chart[]} [] where the process table was not read
 */
function processorShares(run, timeline, keep) {
  const { group, title, description, unit, max, lines } = PROCESSOR_SHARES;
  const own = lines.filter(({ signal }) => isKnown(timeline.signals[signal]));
  const grouped = SIGNAL_GROUPS.flatMap(({ signals }) => signals);
  const ids = own.filter(({ signal }) => !grouped.includes(signal)).map(({ signal }) => chartId(signal));
  if (ids.length === 0) return [];
  for (const { signal } of own) keep(signal, timeline.signals[signal]?.values ?? []);
  const named = own.map(({ signal, name }) => ({ series: signal, name }));
  return [
    {
      id: 'chart-processors',
      anchors: ids,
      topic: group,
      title,
      description,
      panel: panelOf({ unit, max, lines: named, stacked: true }),
      lines: named,
      marks: findingMarks(
        run,
        own.map(({ signal }) => signal).filter((signal) => !grouped.includes(signal)),
      ),
    },
  ];
}

/**
 * @param {string} name
 * @param {string} unit
 * @returns {{title: string, description: string, unit: string, max?: number, steps?: {color: string, value: number | null}[]}}
 */
export function signalWords(name, unit) {
  const words = name.replaceAll('_', ' ');
  return (
    SIGNALS[`${name}:${unit}`] ?? {
      title: `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`,
      description: '',
      unit: UNITS[unit] ?? 'short',
      ...OWN_SIGNALS[name],
    }
  );
}

/**
 * @param {object} options
 * @param {string} options.unit
 * @param {{series: string, name: string, color?: string, dashed?: boolean}[]} options.lines
 * @param {number} [options.max]
 * @param {boolean} [options.stacked]
 * @param {boolean} [options.isLogarithmic]
 * @param {{color: string, value: number | null}[]} [options.steps]
 * @param {number[]} [options.limits] that findings went by
 */
function panelOf({ unit, lines, max, stacked = false, isLogarithmic = false, steps = [], limits = [] }) {
  const drawn = [
    ...steps.filter(({ value }) => value !== null),
    ...limits
      .filter((limit) => steps.every(({ value }) => value !== limit))
      .map((value) => ({ color: 'red', value })),
  ].sort((a, b) => Number(a.value) - Number(b.value));
  return {
    type: 'timeseries',
    options: {
      legend: { showLegend: lines.length > 1 || stacked, displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'none' },
    },
    fieldConfig: {
      defaults: {
        unit,
        min: isLogarithmic ? undefined : 0,
        // Stacked shares that were not read at the very same moment may come to somewhat more than a whole.
        max: stacked || max === undefined ? undefined : max * HEADROOM,
        thresholds: { mode: 'absolute', steps: [{ color: 'green', value: null }, ...drawn] },
        custom: {
          axisWidth: AXIS_WIDTH,
          lineWidth: 2,
          // Of a moment with none beside it, such as the only failure of a run.
          pointSize: 7,
          fillOpacity: stacked ? 35 : lines.length === 1 ? 8 : 0,
          scaleDistribution: { type: isLogarithmic ? 'log' : 'linear' },
          thresholdsStyle: { mode: drawn.length > 0 ? 'dashed' : 'off' },
          stacking: { mode: stacked ? 'normal' : 'none', group: 'A' },
        },
      },
      overrides: lines.map(({ series, color, dashed = false }) => ({
        matcher: { id: 'byFrameRefID', options: series },
        properties: [
          ...(color ? [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }] : []),
          ...(dashed ? [{ id: 'custom.lineStyle', value: { fill: 'dash', dash: [10, 8] } }] : []),
          ...(dashed ? [{ id: 'custom.fillOpacity', value: 0 }] : []),
        ],
      })),
    },
  };
}

/** @param {Run} run @param {string} series @returns {number[]} that findings about it went by, in its unit */
function thresholdsOf({ findings }, series) {
  const limits = findings.flatMap(({ observations = [] }) =>
    observations.flatMap((one) => (one.series === series && one.threshold !== null ? [one.threshold] : [])),
  );
  return [...new Set(limits)];
}

/**
 * @param {'p95_ms' | 'p99_ms'} metric
 * @param {Run} run
 * @param {Timeline} timeline
 * @returns {(number | null)[]} at each point, the lowest limit that holds there for a whole phase or the whole run
 */
function limitOverTime(metric, { thresholds, phases }, { start_s, step_s, count }) {
  const limits = thresholds.flatMap(({ metric: its, limit, relative_to, scope, op }) =>
    its === metric && limit !== null && relative_to === null && op?.startsWith('<') ? [{ scope, limit }] : [],
  );
  return Array.from({ length: count }, (_, index) => {
    const ms = (start_s + index * step_s) * 1000;
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

/**
 * @param {Run} run
 * @param {string[]} series of the chart
 * @returns {import('../../viewer/page/annotations.js').Mark[]} when findings saw one of them cross its threshold
 */
function findingMarks(run, series) {
  /** @type {Map<number, Map<number, string>>} by time, the statements by the findings' numbers */
  const moments = new Map();
  for (const { number, finding } of numbered(run.findings)) {
    for (const { series: its, at } of finding.observations ?? []) {
      if (at === null || !series.includes(its)) continue;
      const atS = Date.parse(at) / 1000;
      moments.set(atS, (moments.get(atS) ?? new Map()).set(number, finding.statement));
    }
  }
  return [...moments].map(([atS, statements]) => ({
    fromS: atS,
    toS: atS,
    title: `${statements.size > 1 ? 'findings' : 'finding'} ${[...statements.keys()].join(', ')}`,
    text: [...statements.values()].join('; ').slice(0, MAX_MARK_TEXT),
    color: 'text',
    line: /** @type {const} */ (1),
  }));
}

/** @param {Run} run @returns {import('../../viewer/page/annotations.js').Mark[]} a stretch each */
export function phaseMarks({ phases }) {
  return phases.flatMap(({ name, start, end, measured, overload }) => {
    if (start === null || end === null) return [];
    return [
      {
        fromS: Date.parse(start) / 1000,
        toS: Date.parse(end) / 1000,
        title: name,
        text: !measured ? 'not measured' : overload ? 'an overload' : '',
        color: !measured ? 'gray' : overload ? 'orange' : 'blue',
      },
    ];
  });
}
