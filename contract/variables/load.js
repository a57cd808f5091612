/** Variables of the load: its size, its length and its objectives. */
import { profiles } from '../profiles.js';
import { duration, flag, oneOf, optional, positiveInteger, positiveNumber, share, text } from '../types.js';

const PROFILES = /** @type {import('../profiles.js').ProfileName[]} */ (Object.keys(profiles));

export const load = {
  PROFILE: {
    type: oneOf(PROFILES),
    default: 'quick',
    help: `duration of the test: ${PROFILES.map((name) => `${name} (${profiles[name].about})`).join('; ')}`,
  },
  REQUESTS: {
    type: optional(positiveInteger),
    help: 'number of calls, in tests with one closed phase (-n of other load generators)',
  },
  CONCURRENCY: {
    type: optional(positiveInteger),
    help: 'number of VUs, in tests with one closed phase (-c of other load generators); sweep: VUs per run [50]; scaling: VUs per instance',
  },
  DRY_RUN: {
    type: flag,
    default: '0',
    help: '1: print the planned calls and send only discovery requests, as `make plan` does',
  },
  THRESHOLDS: {
    type: text,
    help: 'off: no objectives; documents: the limits of the benchmark documents (default for the reference target); or changes, for example baseline.p99_ms=120,all.failure_rate=0.01',
    valid: 'off, documents, scope.metric=number pairs, or documents followed by pairs, separated by commas',
  },
  DURATION: {
    type: optional(duration),
    help: "total length of the measured phases, instead of the profile's; phases keep their proportions",
    valid: 'a duration such as 90s or 10m',
  },
  RATE_SCALE: {
    type: positiveNumber,
    default: '1',
    help: "multiplier of all arrival rates, in addition to the profile's (0.5: half the load)",
  },
  MAX_VUS: {
    type: positiveInteger,
    default: '1000',
    help: 'maximum number of VUs per phase; each VU uses up to 1 MB of memory in the generator',
  },
  MAX_RATE: {
    type: positiveNumber,
    default: '5000',
    help: 'maximum requests/s per phase and in a capacity search',
  },
  MAX_BACKGROUND_CPU: {
    type: share,
    default: '0.2',
    help: "maximum share of the machine's CPU that unrelated programs may use in a measured phase; above it, the run is invalid (1: no limit)",
  },
  SEED: {
    type: positiveInteger,
    default: '1',
    help: 'seed of the generated arguments; the same seed sends the same calls',
  },
};
