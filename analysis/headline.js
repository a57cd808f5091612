/** What happened, in a sentence or two: the first thing that every report says. */
import { clock, counted, duration, milliseconds, number, percent, perSecond } from '../contract/units.js';

const MAX_LENGTH = 200;

/** A bottleneck of a lower confidence is one finding among others, and no headline. */
const NAMED = ['high', 'medium'];

/** The latency objectives that a pass quotes, the first of them that a phase has. */
const QUOTED = /** @type {Record<string, string>} */ ({ p99_ms: 'p99', p95_ms: 'p95', p50_ms: 'p50' });

/**
 * It says nothing that verdict, thresholds and findings do not say.
 *
 * @typedef {Pick<import('./run.js').Run, 'started' | 'verdict' | 'thresholds' | 'findings' | 'phases'>} Facts
 *
 * @param {Facts} run whose texts are clean
 * @returns {string} plain text of at most 200 characters, for example "FAIL: the connection pool limited the run in spike (too
 *   small). p99 40 -> 910 ms from 01:12, 49 % failed; normal 4 s after spike."
 */
export function headline(run) {
  const { outcome, reasons } = run.verdict;
  const [reason = ''] = reasons;
  if (outcome === 'invalid' || outcome === 'error') return sentences(outcome, [reason]);
  const cause = run.findings.find(
    ({ kind, confidence }) => kind === 'bottleneck' && NAMED.includes(confidence),
  );
  const limited = cause ? clauseOf(cause.statement) : '';
  const effect = [trouble(run, cause), recovered(run.findings)].filter(Boolean).join('; ');
  if (outcome === 'pass') return sentences(outcome, [reason, loadTaken(run), limited, effect]);
  return sentences(outcome, [limited || missed(run), effect]);
}

/**
 * @param {string} outcome
 * @param {string[]} parts the first is cut where it is too long, of the others those that fit are added
 */
function sentences(outcome, [first = '', ...others]) {
  let text = short([outcome.toUpperCase(), first].filter(Boolean).join(': '));
  for (const part of others.filter(Boolean)) {
    if (`${text}. ${part}.`.length <= MAX_LENGTH) text = `${text}. ${part}`;
  }
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** @param {string} text @returns {string} with room for a full stop, cut between words where there are any */
function short(text) {
  if (text.length < MAX_LENGTH) return text;
  const head = text.slice(0, MAX_LENGTH - 2).toWellFormed();
  const end = head.lastIndexOf(' ');
  return `${(end > 0 ? head.slice(0, end) : head).replace(/[\s,;:.]+$/, '')} …`;
}

/** @param {string} statement @returns {string} what it says before it goes into details */
const clauseOf = (statement) => statement.split(': ', 1)[0] ?? '';

/** @param {Facts} run @returns {string} the threshold that was missed first, and how many others were */
function missed({ verdict: { reasons }, thresholds }) {
  const [reason = ''] = reasons;
  const others = thresholds.filter(({ outcome }) => outcome === 'fail').length - 1;
  const first = reason.replace(/ \([\d,]+ samples?\)$/, '');
  return others > 0 ? `${first}; ${counted(others, 'more threshold')} missed` : first;
}

/** @param {Facts} run @returns {string} the highest load whose latency was judged and held; '' without one */
function loadTaken({ thresholds, phases }) {
  const held = thresholds.flatMap((threshold) => {
    const { scope, metric, ok, observed, limit, relative_to } = threshold;
    const phase = phases.find(({ name }) => name === scope.phase);
    const isQuoted = Object.hasOwn(QUOTED, metric) && ok === true && relative_to === null;
    if (!isQuoted || observed === null || limit === null || !phase?.achieved_rps) return [];
    return [{ name: QUOTED[metric] ?? '', phase, rate: phase.achieved_rps, observed, limit }];
  });
  const rank = Object.values(QUOTED);
  const [most] = held.toSorted((a, b) => b.rate - a.rate || rank.indexOf(a.name) - rank.indexOf(b.name));
  if (!most) return '';
  const { name, phase, rate, observed, limit } = most;
  return `${perSecond(rate)} in ${phase.name} with ${name} ${milliseconds(observed)} (limit ${milliseconds(limit)})`;
}

/**
 * @param {Facts} run
 * @param {import('./findings.js').Finding | undefined} cause
 * @returns {string} how far p99 left what was normal, and what failed there; '' where nothing did
 */
function trouble({ started, findings, phases }, cause) {
  const candidates = cause ? [cause, ...findings] : findings;
  const found = candidates.find((finding) => p99Of(finding));
  const p99 = found && p99Of(found);
  const phase = phases.find(({ name }) => name === found?.phase);
  if (!p99 || !phase) return '';
  // Only of a bottleneck `at` is when latency rose: of a recovery it is when it was normal.
  const since =
    found.kind === 'bottleneck' && p99.at && started ? (Date.parse(p99.at) - Date.parse(started)) / 1000 : -1;
  const isNamed = found === cause && clauseOf(cause.statement).includes(phase.name);
  return [
    `p99 ${number(p99.from)} -> ${milliseconds(p99.to)}`,
    isNamed ? '' : ` in ${phase.name}`,
    since >= 0 ? ` from ${clock(since)}` : '',
    phase.error_rate ? `, ${percent(phase.error_rate)} failed` : '',
  ].join('');
}

/** @param {import('./findings.js').Finding} finding */
const p99Of = ({ observations = [] }) =>
  observations.find(({ series, from, to }) => series === 'client.p99' && from !== null && to !== null);

/** @param {import('./findings.js').Finding[]} findings */
function recovered(findings) {
  const found = findings.find(({ kind }) => kind === 'recovery');
  if (!found?.phase || found.confidence === 'not_enough_to_tell') return '';
  const { recovery_s: after = null, observed_s: within = null } = found.figures;
  if (after === 0) return `normal right after ${found.phase}`;
  if (after !== null) return `normal ${duration(after)} after ${found.phase}`;
  return within === null ? '' : `not normal within ${duration(within)} after ${found.phase}`;
}
