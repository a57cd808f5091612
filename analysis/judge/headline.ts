/**
 * Summarizes a run in two sentences: which objective was missed and why, or what held; then the effect of the
 * overload.
 */
import { apart, counted, duration, milliseconds, number, percent, perSecond } from '../../contract/units.js';
import { boundText, latencyText } from '../collect/latencies.ts';
import type { Finding } from '../findings/finding.ts';
import { isOwnNote } from '../findings/note.ts';
import { FAILURES, NORMAL } from '../limits.ts';
import { type Culprit, culpritOfRun } from './culprit.ts';
import { failedProbesText } from './failed-probes.ts';
import type { Phase } from './phases.ts';
import type { Run } from './run.ts';
import type { Threshold } from './threshold.ts';
import { scopeName, wordsOf } from './threshold-words.ts';

/**
 * Maximum length of both sentences: a miss with its operation takes about 110 characters, an overload with
 * its effect about 130.
 */
export const MAX_LENGTH = 240;

/** Maximum length of the operations left out by discovery, in the headline of a pass. */
const MAX_LEFT_OUT = 170;

/** A bottleneck with a lower confidence is not mentioned in the headline. */
const NAMED = ['high', 'medium'];

/** Latency objectives that a pass quotes, in order of precedence. */
const QUOTED = { p99_ms: 'p99', p95_ms: 'p95', p50_ms: 'p50' } as Record<string, string>;

/** Subject of a finding about the shape of answers, not of failures. */
const MODES = 'modes';

/** Subject of a capacity test's finding: a rate, not a resource. */
const CAPACITY = 'capacity';

/**
 * Contains only facts from the verdict, thresholds, operations and findings.
 *
 * @param run document with cleaned texts
 * @returns plain text of at most 240 characters, for example "FAIL: baseline p99 197 ms (limit 85 ms):
 *   generate_report takes 191 ms at p95. Overload: the connection pool limited the run in spike (too small),
 *   p99 197 -> 1,946 ms, 49.4 % failed."
 */

export type Facts = Pick<
  Run,
  'test' | 'verdict' | 'thresholds' | 'findings' | 'phases' | 'operations' | 'failed_probes'
>;

export function headline(run: Facts): string {
  const { outcome, reasons } = run.verdict;
  const [reason = ''] = reasons;
  if (outcome === 'error') return joined(outcome, [[reason]]);
  const leftOut = failedProbesText(run.failed_probes ?? [], MAX_LEFT_OUT);
  if (outcome === 'invalid') return joined(outcome, [[reason], [leftOut]]);
  if (outcome === 'pass') {
    const held = [reason, leftOut && `; ${leftOut}`];
    // The result of a search comes first; what happened during its steps may be left out.
    const limit = bottleneckIn(run, () => true);
    if (limit?.subject === CAPACITY)
      return joined(outcome, [held, effectSentence(run, null), [highestLoadText(run)], degradedIn(run)]);
    const shape = [capitalized(shapeIn(run, MODES) || shapeIn(run))];
    const overload = effectSentence(run, null);
    const rest = limit ? [overload, shape] : [shape, overload];
    return joined(outcome, [held, ofTest(run), degradedIn(run), [highestLoadText(run)], ...rest]);
  }
  const missed = run.thresholds.find((threshold) => threshold.outcome === 'fail');
  const cause = bottleneckIn(
    run,
    ({ subject, phase }) => subject !== CAPACITY && phase !== null && phase === missed?.scope.phase,
  );
  return joined(outcome, [
    missClauses(run, missed, cause),
    ofTest(run),
    degradedIn(run),
    effectSentence(run, cause),
    [leftOut],
  ]);
}

/**
 * @param subject subject of the shape; absent: any shape of failures
 * @returns what most failures have in common; '' if nothing
 */
function shapeIn({ findings }: Facts, subject?: string): string {
  const found = findings.find(
    ({ kind, subject: own, figures: { explained, failed } }) =>
      kind === 'failures' &&
      (subject
        ? own === subject
        : own !== MODES &&
          (explained ?? 0) >= FAILURES.mostlyExplained * (failed ?? Number.POSITIVE_INFINITY)),
  );
  return found?.statement ?? '';
}

/** @returns the test's own result: the first of its notes */
const ofTest = ({ test, findings }: Facts): string[] =>
  findings
    .filter((finding) => isOwnNote(finding, test) && finding.confidence !== 'inconclusive')
    .map(({ statement }) => capitalized(statement))
    .slice(0, 1);

/** @returns episodes under a steady load */
const degradedIn = ({ findings }: Facts): string[] =>
  findings
    .filter(({ kind }) => kind === 'episode')
    .map(({ statement }) => capitalized(statement))
    .slice(0, 1);

/**
 * @param sentences lists of clauses; the first clause of all is truncated if it is too long, other clauses
 *   are left out
 */
function joined(outcome: string, [[first = '', ...others] = [], ...sentences]: string[][]) {
  let text = truncated([outcome.toUpperCase(), first].filter(Boolean).join(': '));
  const add = (more: string) => {
    const fits = text.length + more.length < MAX_LENGTH;
    if (fits) text += more;
    return fits;
  };
  for (const part of others) add(part);
  for (const [begin = '', ...parts] of sentences)
    if (begin !== '' && add(`. ${begin}`)) for (const part of parts) add(`, ${part}`);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** @returns the text with space for a full stop, truncated between words if possible */
function truncated(text: string): string {
  if (text.length < MAX_LENGTH) return text;
  const head = text.slice(0, MAX_LENGTH - 2).toWellFormed();
  const end = head.lastIndexOf(' ');
  return `${(end > 0 ? head.slice(0, end) : head).replace(/[\s,;:.]+$/, '')} …`;
}

/** @returns the statement without its details */
const clauseOf = (statement: string): string => statement.split(': ', 1)[0] ?? '';

/** Names of tools are not capitalized. */
const capitalized = (text: string) =>
  /^\w*_/.test(text) ? text : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

const bottleneckIn = ({ findings }: Pick<Facts, 'findings'>, matches: (finding: Finding) => boolean) =>
  findings.find(
    (finding) => finding.kind === 'bottleneck' && NAMED.includes(finding.confidence) && matches(finding),
  ) ?? null;

/**
 * @param missed the first missed threshold; undefined if only k6 failed the run
 * @param cause the bottleneck in the same phase
 * @returns what was missed, why, and how many other thresholds were missed
 */
function missClauses(run: Facts, missed: Threshold | undefined, cause: Finding | null): string[] {
  const {
    verdict: { reasons },
    thresholds,
    operations,
  } = run;
  const others = thresholds.filter(({ outcome }) => outcome === 'fail').length - 1;
  const more = others > 0 ? [`; ${counted(others, 'more threshold')} missed`] : [];
  const text = missed && missText(missed);
  const reason = (missed?.reason ?? reasons[0] ?? '').replace(/ \([\d,]+ samples?\)$/, '');
  if (!missed || !text) return [reason, ...more];
  if (cause) return [text, `: ${clauseOf(cause.statement)}`, ...more];
  const shape = missed.metric === 'failure_rate' ? shapeIn(run) : shapeIn(run, MODES);
  // Includes both clauses of the shape if they fit.
  const [clause, ...rest] = shape.split('; ');
  if (clause) return [text, `: ${clause}`, ...rest.map((one) => `; ${one}`), ...more];
  const culprit = missed.culprit ?? culpritOfRun(missed, operations);
  return [text, culprit ? `: ${culpritText(missed, culprit)}` : '', ...more];
}

/** @returns null if the threshold's reason is a better text */
function missText({ scope, metric, op, limit, relative_to, observed, at_least }: Threshold): string | null {
  if (limit === null || observed === null || relative_to !== null || !op?.startsWith('<')) return null;
  if (metric === 'failure_rate') {
    const [failed, bound] = apart(percent, observed, limit);
    return `${scopeName(scope)}: ${failed} of calls failed (limit ${bound})`;
  }
  // A percentile from a histogram may be within a limit although the exact count of slow calls exceeds it.
  if (!/^(p\d+|avg|min|max)_ms$/.test(metric) || observed < limit) return null;
  const [was, bound] = apart(milliseconds, observed, limit);
  return `${scopeName(scope)} ${wordsOf(metric).name} ${boundText(was, at_least)} (limit ${bound})`;
}

function culpritText(
  { metric }: Threshold,
  { operation, requests, failed, p50_ms, p95_ms, at_least }: Culprit,
) {
  if (metric === 'failure_rate')
    return `${operation} failed ${number(failed)} of ${counted(requests, 'request')}`;
  return p95_ms === null
    ? `${operation} takes ${boundText(milliseconds(p50_ms), at_least)} at p50`
    : `${operation} takes ${boundText(milliseconds(p95_ms), at_least)} at p95`;
}

/** @returns the highest load whose latency objective held, or that was measured; '' if there is none */
function highestLoadText({ thresholds, phases }: Facts): string {
  const held = thresholds.flatMap(({ scope, metric, ok, observed, limit, relative_to }) => {
    const phase = phases.find(({ name }) => name === scope.phase);
    const isQuoted = Object.hasOwn(QUOTED, metric) && ok === true && relative_to === null;
    if (!isQuoted || observed === null || limit === null || !phase?.achieved_rps) return [];
    return [{ name: QUOTED[metric] ?? '', phase, rate: phase.achieved_rps, observed, limit }];
  });
  const rank = Object.values(QUOTED);
  const [highest] = held.toSorted((a, b) => b.rate - a.rate || rank.indexOf(a.name) - rank.indexOf(b.name));
  if (highest)
    return `${loadText(highest.phase, highest.name, milliseconds(highest.observed))} (limit ${milliseconds(highest.limit)})`;
  const [fastest] = phases
    .filter(
      ({ measured, overload, answered }) => measured && !overload && (answered ?? 0) >= NORMAL.minP99Calls,
    )
    .toSorted((a, b) => (b.achieved_rps ?? 0) - (a.achieved_rps ?? 0));
  return fastest?.latency_ms && fastest.achieved_rps
    ? loadText(fastest, 'p99', latencyText(fastest.latency_ms, 'p99'))
    : '';
}

const loadText = ({ name, achieved_rps }: Phase, figure: string, latency: string) =>
  `At ${perSecond(achieved_rps)} in ${name}, ${figure} was ${latency}`;

/**
 * @param mentioned a bottleneck that the first sentence mentions already
 * @returns what limited the run, with its effect: how far p99 rose, how many requests failed, and when
 *   everything was normal again
 */
function effectSentence(run: Facts, mentioned: Finding | null): string[] {
  // A capacity test without a sustainable rate says so in the first sentence.
  const cause = bottleneckIn(
    run,
    (finding) =>
      finding !== mentioned && !(finding.subject === CAPACITY && finding.figures.capacity_rps === null),
  );
  const recovery = run.findings.find(
    ({ kind, confidence }) => kind === 'recovery' && confidence !== 'inconclusive',
  );
  const moved = [...(cause ? [cause] : []), ...run.findings].find(
    (finding) => finding !== mentioned && finding.phase !== mentioned?.phase && p99Of(finding),
  );
  const name = cause?.phase ?? moved?.phase ?? recovery?.phase;
  const phase = run.phases.find((one) => one.name === name);
  const p99 = moved && moved.phase === name ? p99Of(moved) : undefined;
  const parts = [
    cause ? clauseOf(cause.statement) : '',
    p99 ? `${cause ? '' : `${name} `}p99 ${number(p99.from)} -> ${milliseconds(p99.to)}` : '',
    phase?.failure_rate && (p99 || phase.overload) ? `${percent(phase.failure_rate)} failed` : '',
    recovery ? recoveryText(recovery, recovery.phase === name && (cause || p99) ? '' : recovery.phase) : '',
  ].filter(Boolean);
  const [first, ...others] = parts;
  if (first === undefined) return [];
  if (cause?.subject === CAPACITY) return [`Capacity: ${first}`, ...others];
  if (phase?.overload) return [`Overload: ${first}`, ...others];
  return [cause ? capitalized(first) : `Latency: ${first}`, ...others];
}

const p99Of = ({ observations = [] }: Finding) =>
  observations.find(({ series, from, to }) => series === 'client.p99' && from !== null && to !== null);

/** @param phase '' or null if it was mentioned already */
function recoveryText(
  { figures: { recovery_s: after = null, observed_s: within = null } }: Finding,
  phase: string | null,
) {
  const subject = phase ? ` ${phase}` : ' it';
  if (after === 0) return `normal right after${subject}`;
  if (after !== null) return `normal ${duration(after)} after${subject}`;
  return within === null ? '' : `not normal within ${duration(within)} after${subject}`;
}
