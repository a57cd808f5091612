/** Variables of the load: its size, its length and its objectives. */
import { profiles } from '../profiles.js';
import { duration, flag, oneOf, optional, positiveInteger, positiveNumber, share, text } from '../types.js';

const PROFILES = /** @type {import('../profiles.js').ProfileName[]} */ (Object.keys(profiles));

export const load = {
  PROFILE: {
    type: oneOf(PROFILES),
    default: 'quick',
    help: `how long the test takes: ${PROFILES.map((name) => `${name} (${profiles[name].about})`).join('; ')}`,
  },
  REQUESTS: {
    type: optional(positiveInteger),
    help: 'calls to make, in a test with one closed phase (-n of other load generators)',
  },
  CONCURRENCY: {
    type: optional(positiveInteger),
    help: 'VUs of such a test (-c of other load generators) and of each run of sweep [50]; scaling: for each instance',
  },
  DRY_RUN: {
    type: flag,
    default: '0',
    help: '1: print what would be called and send nothing but discovery, as `make plan` does',
  },
  THRESHOLDS: {
    type: text,
    help: 'off: do not judge; documents: the limits of the benchmark documents, the default for the reference target; or changes: baseline.p99_ms=120,all.failure_share=0.01',
    valid: 'off, documents, or scope.metric=number pairs separated by commas (also after documents,)',
  },
  DURATION: {
    type: optional(duration),
    help: "length of all measured phases together, instead of the profile's; phases keep their proportions",
    valid: 'a duration such as 90s or 10m',
  },
  RATE_SCALE: {
    type: positiveNumber,
    default: '1',
    help: "factor on every arrival rate, on top of the profile's (0.5: half the load)",
  },
  MAX_VUS: {
    type: positiveInteger,
    default: '1000',
    help: 'maximum VUs of a phase; each takes up to 1 MB of the generator',
  },
  MAX_RATE: {
    type: positiveNumber,
    default: '5000',
    help: 'maximum requests/s of a phase, and of the search of capacity',
  },
  MAX_BACKGROUND_CPU: {
    type: share,
    default: '0.2',
    help: "share of the machine's CPU that unrelated programs may use in a measured phase; above it the run is invalid (1: any)",
  },
  SEED: {
    type: positiveInteger,
    default: '1',
    help: 'seed of the generated arguments; the same seed sends the same calls',
  },
};
