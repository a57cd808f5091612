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
    help: "address of the server's Prometheus metrics, or of cAdvisor with #container; the run then includes the server's signals (docs/signals.md)",
    valid: 'host:port/path or URL, separated by commas',
  },
  TARGET_PID: {
    type: {
      ...text,
      parse: (/** @type {string} */ value) => (/^([1-9]\d{0,9})?$/.test(value) ? value : undefined),
    },
    help: "the server's process ID, if another process listens on the port of TARGET_URL (native stack)",
    valid: 'a process ID',
  },
  TARGET_CONTAINER: {
    type: text,
    help: "container of the server, to watch it; TARGET_URL may use the container's name as its host (Docker)",
    valid: 'a container name',
  },
  TARGET_IMAGE: {
    type: text,
    help: "image in which TARGET_COMMAND runs (Docker); without TARGET_COMMAND, the image's own command starts the server",
    valid: 'an image name',
  },
  TESTID: {
    type: text,
    help: 'unique name of the run, used for its results folder and as a label of its series [test-time-number]',
    valid:
      'up to 100 letters, digits, dots, hyphens and underscores; starts with a letter or a digit; not "latest"',
  },
  GENERATOR_MEMORY: {
    type: optional(positiveInteger),
    help: "memory limit of k6 in MiB (native stack) [three quarters of the machine's memory]",
    valid: 'MiB, a whole number above 0',
  },
};

/** Variables of compare, compare-ab and ci. */
export const comparisons = {
  METRICS: { type: text, help: 'compare only these metrics', valid: 'metric names separated by commas' },
  MIN_EFFECT: {
    type: text,
    help: 'smallest change that counts, per metric (0.05: 5%)',
    valid: 'metric=ratio pairs separated by commas, for example p99=0.05,throughput=0.01',
  },
  OPERATIONS: { type: flag, default: '0', help: '1: also compare latency and failures per operation' },
  INCLUDE_FAILED: { type: flag, default: '0', help: '1: also compare runs that missed an objective' },
  ALLOW_SINGLE_RUN: { type: flag, default: '0', help: '1: allow a verdict with a single run per side' },
  BASELINES_DIR: { type: folder, help: 'folder of the baselines [baselines]' },
};

const sides = {
  ...text,
  valid: 'testids or globs, results folders, paths of run.json files, or baseline names; separated by commas',
};

export const compare = {
  BASE: {
    type: sides,
    help: 'the runs or the baseline to compare with; ci: the exit code is 99 if the test got worse; baseline-save: the runs to save',
  },
  HEAD: { type: sides, help: 'the runs to compare with BASE' },
};

export const compareAb = {
  A: { type: text, help: 'compare-ab: the variables of side A', valid: '"NAME=value ..."' },
  B: { type: text, help: 'compare-ab: the variables of side B', valid: '"NAME=value ..."' },
};

export const test = {
  TEST: {
    type: text,
    help: 'plan, compare-ab, ci: the test to run [spike; compare-ab: baseline]',
    valid: 'a test listed by `make list`',
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
    help: 'ci: minutes after which the run is interrupted, as by Ctrl-C; the exit code is then 124',
  },
  BASE_OPTIONAL: {
    type: flag,
    default: '0',
    help: 'ci: 1: skip the comparison if the baseline BASE does not exist yet',
  },
  SAVE_BASELINE: {
    type: optional(baselineName, ''),
    help: 'ci: save the runs as this baseline if the exit code is 0',
  },
  VARIABLES: {
    type: text,
    help: 'ci: more variables, one NAME=value per line, for CI systems with a single input field',
  },
};

/** Variables of other make targets. */
export const others = {
  RUN: {
    type: text,
    help: 'report, live: the run to show [report: latest; live: always the newest]',
    valid: 'a testid, latest, or a results folder',
  },
  SERVICES: { type: oneOf(['', 'observe']), help: 'up: observe starts Prometheus and node_exporter only' },
  COMPONENT: {
    type: text,
    help: 'logs: show this component only',
    valid: 'a component listed by `make status`',
  },
  FOLLOW: { type: flag, default: '0', help: 'logs: 1: keep printing new lines' },
  FORMAT: { type: oneOf(['text', 'json']), default: 'text', help: 'signals: output format' },
  PORT: {
    type: text,
    help: 'live: port of the page [the first free port from 3001]',
    valid: 'a port',
  },
};

/** Variables of the stack and of the machine, for all commands. */
export const stack = {
  STACK: {
    type: text,
    help: 'where the stack runs; external uses the existing Prometheus at PROMETHEUS_URL [docker if a Docker engine responds, else native]',
    valid: 'native, docker, external',
  },
  RUN_DIR: { type: folder, help: "folder for the stack's data, logs and secrets [.run]" },
  RESULTS_DIR: { type: folder, help: 'folder for the results [results]' },
};

/** Variables that are not set on a command line: Prometheus credentials and properties of the machine. */
export const environment = {
  PROMETHEUS_URL: {
    type: url,
    help: 'URL of an existing Prometheus, for STACK=external and for the live page',
  },
  PROMETHEUS_USERNAME: { type: text, help: 'basic auth user for PROMETHEUS_URL' },
  PROMETHEUS_PASSWORD: { type: text, help: 'basic auth password for PROMETHEUS_URL', secret },
  REFERENCE_URL: { type: url, help: 'STACK=external: URL of the reference target' },
  REFERENCE_TOKEN: { type: text, help: 'bearer token for REFERENCE_URL', secret },
  RELEASE_URL: {
    type: url,
    help: 'base URL of the programs in tools/release.json; k6 is downloaded and verified instead of built',
  },
  TOOLS_FROM_SOURCE: {
    type: flag,
    default: '0',
    help: '1: build the pinned Prometheus and node_exporter instead of using installed ones (native stack)',
  },
  MCP_LOAD_LAB_CACHE: { type: folder, help: 'folder for the built tools [~/.cache/mcp-load-lab]' },
};
