import { counterOf, inScope, trendOf } from '../analysis/collect/groups.ts';
import { readSummary } from '../analysis/collect/summary.ts';
import { isReference } from './reference-only.js';

/** Seconds of each kind of traffic, by PROFILE. */
const TRAFFIC_S = /** @type {Record<string, number>} */ ({ smoke: 2, quick: 10, full: 60 });
const KINDS_OF_TRAFFIC = 4;

/** @typedef {import('../analysis/tables/trial-results.ts').Size} Size */

/** Seconds of a trial that makes so many calls, whatever they take; of the two that look at sizes and the one that connects. */
const CALLS_S = 8;
const TRIALS_OF_CALLS = 3;

/** @param {any} config */
export const lasts = ({ PROFILE, DURATION }) =>
  TRIALS_OF_CALLS * CALLS_S + KINDS_OF_TRAFFIC * (DURATION ?? TRAFFIC_S[PROFILE]);

/** @param {import('./lab.js').Lab} lab */
export default async function network(lab) {
  const { WORKLOAD, TOOL } = process.env;
  // A workload, or a tool, that was named is loaded as on any other server.
  const reference = isReference(lab.config) && !WORKLOAD && !TOOL;
  // For both: whether an answer is compressed is then the client's to say.
  if (isReference(lab.config)) await lab.target({ COMPRESSION: 'gzip' });
  const seconds = lab.config.DURATION ?? TRAFFIC_S[lab.config.PROFILE] ?? 10;
  /** @param {string} name @param {string} part @param {Record<string, string>} [env] */
  const trial = (name, part, env = {}) =>
    lab.trial({ name, labels: { part: name }, env: { PART: part, DURATION: '', RATE_SCALE: '1', ...env } });

  const [part, length] = reference ? ['sizes', {}] : ['all', { DURATION: `${seconds}s` }];
  const plain = await trial('plain', part, { ACCEPT_ENCODING: '', ...length });
  const gzip = await trial('gzip', part, { ACCEPT_ENCODING: 'gzip', ...length });
  if (reference) await trial('traffic', 'traffic', { DURATION: `${KINDS_OF_TRAFFIC * seconds}s` });
  await trial('connections', reference ? 'connections' : 'all-connections');

  const { summary } = readSummary(plain.folder);
  const operations = (summary?.plan.operations ?? []).map(({ operation }) => operation);
  /** @param {typeof plain} one @param {string} metric @param {string} operation */
  const mean = (one, metric, operation) => trendOf(inScope(one.groups, { operation }), metric).mean;
  /** @type {Size[]} */
  const sizes = operations.map((operation) => ({
    operation,
    request: mean(plain, 'mcp_request_bytes', operation),
    plain: mean(plain, 'mcp_response_bytes', operation),
    gzip:
      counterOf(inScope(gzip.groups, { operation }), 'mcp_compressed') > 0
        ? mean(gzip, 'mcp_response_bytes', operation)
        : null,
  }));
  // What only prepares is not measured.
  lab.result = { sizes: sizes.filter(({ request }) => request !== null) };
}
