/** Builds the page of a run from its document and its timeline. */

import { duration, inUnit, milliseconds, number } from '../../contract/units.js';
import type { Finding, Page, Plots, Section } from '../../page/model.ts';
import { changedSettings } from '../collect/target-settings.ts';
import type { Timeline } from '../collect/timeline.ts';
import { commandLine } from '../command-line.ts';
import { withoutRemedy } from '../findings/remedy.ts';
import { headline } from '../judge/headline.ts';
import { lengthText } from '../judge/partial.ts';
import type { Run } from '../judge/run.ts';
import { factsOf, howMeasured } from '../render/facts.ts';
import { momentText, numbered, seriesName, timeOfDay } from '../render/observations.ts';
import { repeatCommands } from '../render/repeat.ts';
import {
  byOutcome,
  failedProbeTable,
  operationTable,
  outcomeTable,
  ownTables,
  partTable,
  phaseTable,
  resourceTable,
  signalTable,
  type TextTable,
  thresholdTable,
} from '../render/tables.ts';
import { figuresOf } from './figures.ts';
import { findingChartId, plotsOf } from './plots.ts';

type Observation = NonNullable<Run['findings'][number]['observations']>[number];

/** @param timeline null: a page without charts */
export function pageOfRun(run: Run, timeline: Timeline | null): Page {
  const began = run.phases.length > 0;
  const plots = began && timeline ? plotsOf(run, timeline) : null;
  const sections = [
    ...ownSections(run),
    phasesSection(run),
    run.resources ? notedSection('resources', resourceTable(run.resources)) : null,
    tableSection('outcomes', outcomeTable(run).title, outcomeTable(run)),
    tableSection('parts', partTable(run).title, partTable(run)),
    tableSection('operations', 'Operations', operationTable(run)),
    tableSection('left-out', failedProbeTable(run).title, failedProbeTable(run)),
    failuresSection(run),
    thresholdsSection(run),
    signalsSection(run),
    seriesSection(plots),
    environmentSection(run),
    repeatSection(run),
  ];
  return {
    outcome: run.verdict.outcome,
    headline: run.headline ?? headline(run),
    title: run.title ?? run.test ?? run.testid,
    reasons: run.verdict.reasons,
    about: aboutOf(run),
    figures: figuresOf(run),
    plots,
    ...(began && !timeline && { noPlots: NO_PLOTS }),
    findings: began ? findingsOf(run, plots) : null,
    sections: sections.filter((section) => section !== null),
  };
}

const NO_PLOTS =
  'There are no charts: this run has no timeline.json, which is created from Prometheus data when a run is judged.';

function aboutOf(run: Run): string[] {
  const { test, profile, target, started, verdict } = run;
  const server = [target?.server?.name, target?.server?.version].filter(Boolean).join(' ');
  const about = [
    test && `${test}, profile ${profile}`,
    target?.url,
    server,
    // The reader must know about changed settings, such as a small pool or an injected fault, before the
    // figures.
    Object.entries(changedSettings(target?.settings ?? {}))
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
    started && `${started.slice(0, 19).replace('T', ' ')} UTC, ${lengthText(run)}`,
    `exit code ${verdict.exit_code}`,
  ];
  return about.filter((one) => typeof one === 'string' && one !== '') as string[];
}

const isOverload = ({ phases }: Run, name: string) =>
  phases.some((phase) => phase.name === name && phase.overload);

function findingsOf(run: Run, plots: Plots | null): Finding[] {
  const numbers = new Map(numbered(run.findings).map((one) => [one.finding, one.number]));
  const charts = new Map<string, string>();
  for (const { id, lines } of plots?.charts ?? []) for (const { series } of lines) charts.set(series, id);
  return run.findings.map((finding) => {
    const { kind, subject, phase, confidence, statement, evidence, observations = [] } = finding;
    const own = numbers.get(finding) ?? null;
    const chart = own === null ? undefined : plots?.charts.find(({ id }) => id === findingChartId(own))?.id;
    const about = [
      subject,
      phase && `in ${phase}${isOverload(run, phase) ? ', which is not judged' : ''}`,
      confidence === 'inconclusive' ? confidence : `${confidence} confidence`,
      // Findings about the generator are valid even in an invalid run.
      run.verdict.outcome === 'invalid' && kind !== 'generator' && 'in an invalid run',
    ];
    const { evidence: seen, remedy } = withoutRemedy(evidence);
    return {
      number: own,
      kind,
      about: about.filter(Boolean).join(' · '),
      statement,
      evidence: seen,
      ...(remedy !== null && { remedy: `${remedy.slice(0, 1).toUpperCase()}${remedy.slice(1)}` }),
      ...(observations.length > 0 && { observations: observationTable(observations, run, phase, charts) }),
      ...(chart && { chart }),
    };
  });
}

const observationTable = (
  observations: Observation[],
  run: Run,
  phase: string | null,
  charts: ReadonlyMap<string, string>,
) => ({
  head: ['series', 'from', 'to', 'threshold', 'when'],
  rows: observations.map(({ series, unit, from, to, threshold, at }) => {
    const chart = charts.get(series);
    return [
      { text: seriesName(series), ...(chart !== undefined && { chart }) },
      inUnit(unit, from),
      inUnit(unit, to),
      inUnit(unit, threshold),
      at === null ? '-' : momentText(at, run, phase),
    ];
  }),
});

const tableSection = (
  id: string,
  title: string,
  { head, rows }: { head: string[]; rows: string[][] },
): Section | null => (rows.length === 0 ? null : { id, title, tables: [{ head, rows }] });

/** The test's own tables, which are the main result of some tests. */
function ownSections(run: Run): Section[] {
  return ownTables(run)
    .filter(({ rows }) => rows.length > 0)
    .map((table, index) => notedSection(`own-${index + 1}`, table));
}

const notedSection = (
  id: string,
  { title, caption, head, rows, notes }: TextTable & { notes: string[] },
): Section => ({
  id,
  title,
  tables: [{ head, rows, ...(caption && { title: caption }) }],
  texts: notes,
});

export function phasesSection(run: Pick<Run, 'started' | 'phases' | 'sessions'>): Section | null {
  const { head, rows } = phaseTable(run);
  if (rows.length === 0) return null;
  const [name = '', ...others] = head;
  const { sessions } = run;
  const opened =
    sessions &&
    `${number(sessions.count)} sessions were opened (p50 ${milliseconds(sessions.duration_ms.p50)}, p99 ${milliseconds(sessions.duration_ms.p99)})${
      sessions.expired > 0 ? `; ${number(sessions.expired)} had expired when they were used` : ''
    }.`;
  return {
    id: 'phases',
    title: 'Phases',
    ...(opened && { texts: [opened] }),
    tables: [
      {
        head: [name, 'start (UTC)', ...others],
        rows: rows.map(([first = '', ...cells], index) => {
          const phase = run.phases[index];
          return [
            { text: first, aside: phase ? remarksOn(phase) : '' },
            phase?.start ? timeOfDay(phase.start) : '-',
            ...cells,
          ];
        }),
      },
    ],
  };
}

function remarksOn({ measured, overload, completed, start, labels }: Run['phases'][number]): string {
  return [
    ...Object.entries(labels).map(([label, value]) => `${label} ${value}`),
    ...(measured ? [] : ['not measured']),
    ...(overload ? ['overload'] : []),
    ...(completed ? [] : [start === null ? 'did not start' : 'ended early']),
  ].join(', ');
}

function failuresSection({ failures, phases }: Run): Section | null {
  if (phases.every(({ requests }) => requests === null)) return null;
  const moment = (iso: string | null, s: number | null, phase: string | null = null) => {
    const aside = [s === null ? '' : `${duration(s)} into the run`, phase ? `in ${phase}` : ''];
    return iso === null ? '-' : { text: timeOfDay(iso), aside: aside.filter(Boolean).join(', ') };
  };
  return {
    id: 'failures',
    title: 'Failures by kind',
    ...(failures.length === 0
      ? { texts: ['No request failed.'] }
      : {
          tables: [
            {
              head: ['kind', 'count', 'first', 'last', 'sample'],
              rows: failures.map(({ kind, count, first, last, first_s, last_s, first_phase, sample }) => [
                kind,
                number(count),
                moment(first, first_s, first_phase),
                moment(last, last_s),
                sample === null ? '-' : { text: sample, isCode: true },
              ]),
            },
          ],
        }),
  };
}

const TONES = { FAIL: 'fail', INVALID: 'invalid', pass: 'pass' } as const;

function thresholdsSection(run: Run): Section | null {
  const { head, rows } = thresholdTable(run);
  if (rows.length === 0 && !run.objectives_off) return null;
  const reasons = byOutcome(run.thresholds).map(({ reason }) => reason ?? '');
  const hasReasons = reasons.some((reason) => reason !== '');
  return {
    id: 'thresholds',
    title: 'Thresholds',
    isFolded: true,
    ...(run.objectives_off && { texts: ['Objectives are off: measured, not judged.'] }),
    tables: [
      {
        head: hasReasons ? [...head, 'why'] : head,
        rows: rows.map(([outcome = '', ...cells], index) => [
          outcome in TONES ? { text: outcome, tone: TONES[outcome as keyof typeof TONES] } : outcome,
          ...cells,
          ...(hasReasons ? [reasons[index] ?? ''] : []),
        ]),
      },
    ].filter(({ rows }) => rows.length > 0),
  };
}

/** Maximum number of phases side by side on a page. */
const MAX_COLUMNS = 8;

function signalsSection(run: Run): Section | null {
  const { head, rows, quiet } = signalTable(run);
  if (rows.length === 0 && quiet.length === 0) return null;
  const [name = '', ...phases] = head;
  const parts = Math.max(1, Math.ceil(phases.length / MAX_COLUMNS));
  const width = Math.ceil(phases.length / parts);
  const part = ([first = '', ...cells]: string[], index: number) => [
    first,
    ...cells.slice(index * width, (index + 1) * width),
  ];
  return {
    id: 'signals',
    title: 'Signals by phase, mean',
    isFolded: true,
    ...(quiet.length > 0 && { texts: [`Zero throughout: ${quiet.join(', ')}.`] }),
    tables: Array.from({ length: rows.length > 0 ? parts : 0 }, (_, index) => ({
      head: part([name, ...phases], index),
      rows: rows.map((row) => part(row, index)),
    })),
  };
}

function seriesSection(plots: Plots | null): Section | null {
  const charts = plots?.charts.map(({ id }) => id).filter((id) => id.startsWith('chart-')) ?? [];
  return charts.length === 0 ? null : { id: 'series', title: 'Every series', isFolded: true, charts };
}

function repeatSection(run: Run): Section | null {
  const facts = repeatCommands(run).map((command): [string, string] => [command.label, commandLine(command)]);
  return facts.length === 0 ? null : { id: 'repeat', title: 'Run it again', facts };
}

const environmentSection = (run: Run): Section => ({
  id: 'environment',
  title: 'Environment',
  isFolded: true,
  facts: [
    ...factsOf(run),
    ...(run.phases.length > 0 ? ([['figures', howMeasured().join(' ')]] as [string, string][]) : []),
  ],
});
