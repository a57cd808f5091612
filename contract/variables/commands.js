/**
 * Variables of commands, of the stack and of this machine. Those of type `text` are validated by the code
 * that uses them.
 */
import { baselineName } from '../baseline-name.js';
import { flag, oneOf, optional, positiveInteger, positiveNumber, text, url } from '../types.js';

const secret = /** @type {const} */ (true);
const folder = { ...text, valid: 'the path of a folder' };

/** Variables of all commands that load a server. */
export const runs = {
  TARGET_METRICS: {
    type: text,
    help: "where the server shows its metrics to Prometheus; a cAdvisor's with #container. The run's signals are then that server's (docs/signals.md)",
    valid: 'host:port/path or URL, several with commas between',
  },
  TARGET_PID: {
    type: {
      ...text,
      parse: (/** @type {string} */ value) => (/^([1-9]\d{0,9})?$/.test(value) ? value : undefined),
    },
    help: "the server's process, if it does not listen on the port of TARGET_URL itself (native stack)",
    valid: 'the number of a process',
  },
  TARGET_CONTAINER: {
    type: text,
    help: "the server's container, to watch it; TARGET_URL may use its name as the host (Docker)",
    valid: 'the name of a container',
  },
  TARGET_IMAGE: {
    type: text,
    help: "the image that TARGET_COMMAND runs in (Docker); without TARGET_COMMAND, the image's own command is the server",
    valid: 'the name of an image',
  },
  TESTID: {
    type: text,
    help: "the run's name, of its folder in the results and in every series; one that no run has [test-time-number]",
    valid:
      'up to 100 letters, digits, dots, hyphens and underscores, a letter or a digit first, not "latest"',
  },
  GENERATOR_MEMORY: {
    type: optional(positiveInteger),
    help: "MiB that k6 may use natively [three quarters of the machine's]",
    valid: 'MiB, a whole number above 0',
  },
};

/** Variables of compare, compare-ab and ci. */
export const comparisons = {
  METRICS: { type: text, help: 'compare these metrics only', valid: 'names of metrics with commas between' },
  MIN_EFFECT: {
    type: text,
    help: 'the smallest change that counts, as a share',
    valid: 'metrics with shares, as in p99=0.05,throughput=0.01',
  },
  OPERATIONS: { type: flag, default: '0', help: "1: also compare each operation's latency and failures" },
  INCLUDE_FAILED: { type: flag, default: '0', help: '1: also compare runs that missed an objective' },
  ALLOW_SINGLE_RUN: { type: flag, default: '0', help: '1: one run a side may fail' },
  BASELINES_DIR: { type: folder, help: 'folder of the baselines [baselines]' },
};

const sides = {
  ...text,
  valid: 'testids or globs of them, results folders, paths of a run.json, names of baselines',
};

export const compare = {
  BASE: {
    type: sides,
    help: 'what to compare with, several with commas between; ci: a baseline or runs, worse is 99; baseline-save: the runs that it is made of',
  },
  HEAD: { type: sides, help: 'the runs to compare, separated by commas' },
};

export const compareAb = {
  A: { type: text, help: 'compare-ab: the variables of side A', valid: '"NAME=value ..."' },
  B: { type: text, help: 'compare-ab: the variables of side B', valid: '"NAME=value ..."' },
};

export const test = {
  TEST: {
    type: text,
    help: 'plan, compare-ab, ci: which test [spike; of compare-ab baseline]',
    valid: 'a test of make list',
  },
};

export const baseline = {
  NAME: { type: optional(baselineName, ''), help: "baseline-save: the baseline's name" },
};

/** Variables of ci. */
export const pipeline = {
  LIMIT_MINUTES: {
    type: positiveNumber,
    default: '60',
    help: 'ci: minutes after which the run is ended as by Ctrl-C, with exit code 124',
  },
  BASE_OPTIONAL: {
    type: flag,
    default: '0',
    help: 'ci: 1: compare with nothing if the baseline BASE does not exist yet',
  },
  SAVE_BASELINE: {
    type: optional(baselineName, ''),
    help: 'ci: save the runs as this baseline if the exit code is 0',
  },
  VARIABLES: {
    type: text,
    help: 'ci: more variables, a NAME=value a line, for who has but one field for all',
  },
};

/** Variables of other make targets. */
export const others = {
  RUN: {
    type: text,
    help: 'report, live: which run [report: latest; live: whichever is the newest]',
    valid: 'a testid, latest, or a results folder',
  },
  SERVICES: { type: oneOf(['', 'observe']), help: 'up: observe starts Prometheus and node_exporter only' },
  COMPONENT: { type: text, help: 'logs: show this component only', valid: 'a name of make status' },
  FOLLOW: { type: flag, default: '0', help: 'logs: 1: follow' },
  FORMAT: { type: oneOf(['text', 'json']), default: 'text', help: 'signals: output format' },
  PORT: {
    type: text,
    help: "live: the page's, instead of the first free one from 3001 on",
    valid: 'a port',
  },
};

/** Variables of the stack and of the machine, for all commands. */
export const stack = {
  STACK: {
    type: text,
    help: "native, docker, or external: PROMETHEUS_URL says where somebody else's Prometheus is [docker where a Docker engine answers, else native]",
    valid: 'native, docker, external',
  },
  RUN_DIR: { type: folder, help: "folder of the stack's data, logs and secrets [.run]" },
  RESULTS_DIR: { type: folder, help: 'folder of the results [results]' },
};

/** Variables that are not set on a command line: Prometheus credentials and properties of the machine. */
export const environment = {
  PROMETHEUS_URL: {
    type: url,
    help: "somebody else's Prometheus: of a stack that is external, or of the live page",
  },
  PROMETHEUS_USERNAME: { type: text, help: 'user of PROMETHEUS_URL, if it has basic auth' },
  PROMETHEUS_PASSWORD: { type: text, help: 'password of PROMETHEUS_USERNAME', secret },
  REFERENCE_URL: { type: url, help: 'STACK=external: the reference target' },
  REFERENCE_TOKEN: { type: text, help: 'token of REFERENCE_URL', secret },
  RELEASE_URL: {
    type: url,
    help: 'where the programs of tools/release.json are: k6 is downloaded and checked instead of built',
  },
  TOOLS_FROM_SOURCE: {
    type: flag,
    default: '0',
    help: "natively: 1 builds the pinned Prometheus and node_exporter, instead of the host's",
  },
  MCP_LOAD_LAB_CACHE: { type: folder, help: 'folder of the built tools [~/.cache/mcp-load-lab]' },
};
