import { counterOf, inScope, trendOf } from '../../analysis/collect/groups.ts';
import type { Config } from '../../cli/trials/config.ts';
import type { Lab, TrialResult } from '../../cli/trials/lab.ts';
import { needConnection } from '../../cli/trials/need-connection.ts';
import { isReference } from '../../cli/trials/reference-only.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import type { ProfileName } from '../../contract/profiles.js';

/** Mean body sizes of an operation, bytes. */
export interface Size {
  operation: string;
  request: number | null;
  /** Uncompressed answer. */
  plain: number | null;
  /** Answer to a request that accepts gzip; null = the server did not compress it. */
  gzip: number | null;
}

export interface NetworkResult {
  sizes: Size[];
}

/** Length of each kind of traffic, seconds. */
const TRAFFIC_S: Record<ProfileName, number> = { smoke: 2, quick: 10, full: 60 };
const KINDS_OF_TRAFFIC = 4;

/**
 * Approximate length of a trial with a fixed number of calls, seconds: two measure sizes and one connections.
 */
const CALLS_S = 8;
const TRIALS_OF_CALLS = 3;

const trafficSecondsOf = ({ PROFILE, DURATION }: Config) => DURATION ?? TRAFFIC_S[PROFILE];

export const nativeOnly = true;

export const check = (config: Config) => needConnection(config, 'network measures network traffic');

export const lasts: TrialsModule<Config>['lasts'] = (config) =>
  TRIALS_OF_CALLS * CALLS_S + KINDS_OF_TRAFFIC * trafficSecondsOf(config);

export default async function network(lab: Lab<Config, NetworkResult>) {
  const { WORKLOAD, TOOL } = process.env;
  // With WORKLOAD or TOOL the reference target is loaded like any other server.
  const reference = isReference(lab.config) && !WORKLOAD && !TOOL;
  // With COMPRESSION=gzip, the client decides in each trial whether answers are compressed.
  if (isReference(lab.config)) await lab.target({ COMPRESSION: 'gzip' });
  const seconds = trafficSecondsOf(lab.config);
  const trial = (name: string, part: string, env: Record<string, string> = {}) =>
    lab.trial({ name, labels: { part: name }, env: { PART: part, DURATION: '', RATE_SCALE: '1', ...env } });

  const [part, length] = reference ? ['sizes', {}] : ['all', { DURATION: `${seconds}s` }];
  const plain = await trial('plain', part, { ACCEPT_ENCODING: '', ...length });
  const gzip = await trial('gzip', part, { ACCEPT_ENCODING: 'gzip', ...length });
  if (reference) await trial('traffic', 'traffic', { DURATION: `${KINDS_OF_TRAFFIC * seconds}s` });
  await trial('connections', reference ? 'connections' : 'all-connections');

  const mean = ({ groups }: TrialResult, metric: string, operation: string) =>
    trendOf(inScope(groups, { operation }), metric).mean;
  const sizes = plain.plan.operations.map(({ operation }) => ({
    operation,
    request: mean(plain, 'mcp_request_bytes', operation),
    plain: mean(plain, 'mcp_response_bytes', operation),
    gzip:
      counterOf(inScope(gzip.groups, { operation }), 'mcp_compressed') > 0
        ? mean(gzip, 'mcp_response_bytes', operation)
        : null,
  }));
  // Preparations are not measured.
  lab.result = { sizes: sizes.filter(({ request }) => request !== null) };
}
