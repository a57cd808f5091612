/** Variables of the tests that take several k6 runs, each of which looks at what only it knows: names of faults, values of settings. */
import {
  countsUpTo,
  oneOf,
  optional,
  positiveInteger,
  positiveNumber,
  text,
  textObject,
  token,
  url,
} from '../types.js';
import { headerLines } from './target.js';

const secret = /** @type {const} */ (true);
const MOST_INSTANCES = 32;
const MOST_SESSIONS = 999_999;

/** Settings of the reference target that a sweep can vary. */
export const SWEPT = /** @type {const} */ ([
  'WORKERS',
  'POOL_SIZE',
  'CACHE_STRATEGY',
  'CACHE_TTL',
  'COMPRESSION',
  'CONTENT',
]);

/** Separated by spaces or commas. */
const words = {
  ...text,
  parse: (/** @type {string} */ value) => value.split(/[\s,]+/).filter((word) => word !== ''),
};

export const experiments = {
  RUNS: {
    type: optional(positiveInteger),
    help: 'how often a test of several k6 runs measures each of its values [3]; compare-ab: how often each side is run [5]; ci: how often the test is [1]',
  },
  KNOB: {
    type: text,
    default: 'WORKERS',
    help: "sweep: which of the reference target's settings to vary",
    valid: SWEPT.join(', '),
  },
  VALUES: {
    type: words,
    help: "sweep: the KNOB's values, separated by spaces; unset: some that differ",
    valid: "two or more of the KNOB's values, separated by spaces",
  },
  RATE: {
    type: optional(positiveNumber),
    help: 'capacity: requests/s to begin with [50]; gateway: requests/s that each way gets [two fifths of what the gateway is found to do]',
  },
  GATEWAY_URL: {
    type: url,
    help: 'gateway: the MCP endpoint of a gateway that stands in front of the target; unset: ContextForge is started there',
  },
  GATEWAY_RPC_URL: { type: url, help: 'gateway: its endpoint for plain JSON-RPC, to be measured as well' },
  GATEWAY_TOKEN: {
    type: token,
    help: 'gateway: bearer token for it (never printed or stored)',
    secret,
  },
  GATEWAY_HEADERS: {
    type: headerLines,
    help: 'gateway: headers for it, as TARGET_HEADERS (values never printed)',
    secret,
  },
  GATEWAY_PREFIX: {
    type: text,
    help: "gateway: what it puts in front of the target's names of tools; TOOL_NAMES where it does more to them",
  },
  GATEWAY_STORE: {
    type: oneOf(['sqlite', 'stack']),
    default: 'sqlite',
    help: "gateway: where ContextForge keeps its things; stack: the stack's PostgreSQL and Redis",
  },
  GATEWAY_SETTINGS: {
    type: textObject,
    help: "gateway: ContextForge's own settings (secrets among them never printed)",
    valid: 'one JSON object of texts, for example {"WEB_CONCURRENCY":"2"}',
    secret,
  },
  INSTANCES: {
    type: countsUpTo(MOST_INSTANCES),
    default: '1 2 4',
    help: 'scaling: how many instances of the reference target, separated by spaces',
  },
  PRICE_PER_INSTANCE_HOUR: {
    type: optional(positiveNumber),
    help: 'scaling: what an instance costs an hour, in dollars, for the columns with costs',
  },
  FAULTS: {
    type: words,
    help: 'chaos: which faults, separated by spaces (docs/tests.md has them) [all; four of them at smoke]',
    valid: 'names of faults, separated by spaces',
  },
  RECOVERY_S: {
    type: positiveNumber,
    default: '5',
    help: 'chaos: seconds in which the server must be as before, once a fault is lifted',
  },
  CONNECTIONS: {
    type: countsUpTo(MOST_SESSIONS),
    help: 'connections: how many sessions to hold, separated by spaces [100 to 2,000; 10,000 at full]; active ones up to MAX_VUS',
  },
  SESSION_EXPIRY_S: {
    type: positiveNumber,
    default: '20',
    help: 'connections: seconds after which a server of your own is asked whether it still knows sessions that nobody used',
  },
};
