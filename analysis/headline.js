/** What happened, in a line or two: the first thing that every report says. */
import { duration, inUnit, percent } from './units.js';

const MOST = 240;

/**
 * Says nothing that verdict and findings do not say.
 *
 * @param {Pick<import('./run.js').Run, 'verdict' | 'findings' | 'phases'>} run
 * @returns {string} plain text, for example "FAIL: the connection pool limited the run in spike. p99 40 ms -> 910 ms, 49 % failed; normal
 *   again 4 s after spike."
 */
export function headline({ verdict: { outcome, reasons }, findings, phases }) {
  const [reason = ''] = reasons;
  const word = outcome.toUpperCase();
  if (outcome === 'invalid' || outcome === 'error') return short(`${word}: ${reason}`);
  const cause = findings.find(
    ({ kind, confidence }) => kind === 'bottleneck' && confidence !== 'not_enough_to_tell',
  );
  const first = outcome === 'fail' && cause ? cause.statement : reason;
  const why = outcome === 'pass' && cause ? [cause.statement] : [];
  const told = [first, ...why, [trouble(findings, phases), recovered(findings)].filter(Boolean).join('; ')];
  return short(`${word}: ${told.filter(Boolean).join('. ')}`);
}

/**
 * @param {import('./findings.js').Finding[]} findings
 * @param {import('./phases.js').Phase[]} phases
 * @returns {string} how far p99 left what was normal, and what failed there; '' where nothing did
 */
function trouble(findings, phases) {
  const of = findings.find(({ observations = [] }) =>
    observations.some(({ series, from, to }) => series === 'client.p99' && from !== null && to !== null),
  );
  const p99 = of?.observations?.find(({ series }) => series === 'client.p99');
  const phase = phases.find(({ name }) => name === of?.phase);
  if (!p99 || !phase) return '';
  const failed = phase.error_rate ? `, ${percent(phase.error_rate)} failed` : '';
  return `p99 ${inUnit(p99.unit, p99.from)} -> ${inUnit(p99.unit, p99.to)} in ${phase.name}${failed}`;
}

/** @param {import('./findings.js').Finding[]} findings */
function recovered(findings) {
  const found = findings.find(({ kind }) => kind === 'recovery');
  if (!found?.phase || found.confidence === 'not_enough_to_tell') return '';
  const { recovery_s: after = null, observed_s: within = null } = found.figures;
  if (after !== null) return `normal again ${duration(after)} after ${found.phase}`;
  return within === null ? '' : `not normal again within ${duration(within)} after ${found.phase}`;
}

/** @param {string} text */
function short(text) {
  if (text.length <= MOST) return text;
  return `${text.slice(0, text.lastIndexOf(' ', MOST - 2)).replace(/[,;:.]$/, '')} …`;
}
