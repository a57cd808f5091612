/** Variables of commands, of the stack and of this machine. Whoever reads one looks at it where it says `text`. */
import { baselineName } from '../baseline-name.js';
import { flag, oneOf, optional, positiveInteger, positiveNumber, text, url } from '../types.js';

const secret = /** @type {const} */ (true);
const folder = { ...text, valid: 'the path of a folder' };

/** Of everything that loads a server. */
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
    help: "the server's process, natively, where the one that listens on the port of TARGET_URL is another (a proxy, a supervisor)",
    valid: 'the number of a process',
  },
  TARGET_CONTAINER: {
    type: text,
    help: "the server's container, in Docker: it is watched, and TARGET_URL may have its name as the host",
    valid: 'the name of a container',
  },
  TARGET_IMAGE: {
    type: text,
    help: "in Docker: the image that TARGET_COMMAND is started in, instead of the generator's; without a TARGET_COMMAND its own command is the server",
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
    help: "MiB that k6 may have, where it runs natively: an answer may unpack to any size, and each user takes up to 1 [three quarters of the machine's]",
    valid: 'MiB, a whole number above 0',
  },
};

/** Of compare, compare-ab and ci. */
export const comparisons = {
  METRICS: { type: text, help: 'compare these alone', valid: 'names of metrics with commas between' },
  MIN_EFFECT: {
    type: text,
    help: 'the smallest change that counts, as a share',
    valid: 'metrics with shares, as in p99=0.05,throughput=0.01',
  },
  OPERATIONS: { type: flag, default: '0', help: "1: compare each operation's latency and failures, too" },
  INCLUDE_FAILED: { type: flag, default: '0', help: '1: runs that missed an objective are compared, too' },
  ALLOW_SINGLE_RUN: { type: flag, default: '0', help: '1: one run against one may fail' },
  BASELINES_DIR: { type: folder, help: 'where baselines are [baselines]' },
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
  HEAD: { type: sides, help: 'what is compared, several with commas between' },
};

export const compareAb = {
  A: { type: text, help: 'compare-ab: what one side has and the other has not', valid: '"NAME=value ..."' },
  B: { type: text, help: 'compare-ab: the same of the other side', valid: '"NAME=value ..."' },
};

export const test = {
  TEST: {
    type: text,
    help: 'plan, compare-ab, ci: which test [spike; of compare-ab baseline]',
    valid: 'a test of make list',
  },
};

export const baseline = {
  NAME: { type: optional(baselineName, ''), help: 'baseline-save: of the file in baselines/' },
};

/** Of ci alone. */
export const pipeline = {
  LIMIT_MINUTES: {
    type: positiveNumber,
    default: '60',
    help: 'ci: after so many minutes a run that goes on is ended as by Ctrl-C, and ci ends with 124',
  },
  BASE_OPTIONAL: {
    type: flag,
    default: '0',
    help: 'ci: 1: compare with nothing if BASE names a baseline that does not exist yet; not needed if SAVE_BASELINE has the same name',
  },
  SAVE_BASELINE: {
    type: optional(baselineName, ''),
    help: 'ci: save the runs as the baseline of this name if ci ends with 0',
  },
  VARIABLES: {
    type: text,
    help: 'ci: more variables, a NAME=value a line, for who has but one field for all',
  },
};

/** Of other targets of make. */
export const others = {
  RUN: {
    type: text,
    help: 'report, live: which run [report: latest; live: whichever is the newest]',
    valid: 'a testid, latest, or a results folder',
  },
  SERVICES: { type: oneOf(['', 'observe']), help: 'up: observe, for Prometheus and node_exporter alone' },
  COMPONENT: { type: text, help: "logs: one component's", valid: 'a name of make status' },
  FOLLOW: { type: flag, default: '0', help: 'logs: 1: go on as they grow' },
  FORMAT: { type: oneOf(['text', 'json']), default: 'text', help: 'signals: how they are printed' },
  PORT: {
    type: text,
    help: "live: the page's, instead of the first free one from 3001 on",
    valid: 'a port',
  },
};

/** Of the stack and of the machine: every command reads them. */
export const stack = {
  STACK: {
    type: text,
    help: "native, docker, or external: PROMETHEUS_URL says where somebody else's Prometheus is [docker where a Docker engine answers, else native]",
    valid: 'native, docker, external',
  },
  RUN_DIR: { type: folder, help: "the stack's state: data, logs, secrets [.run]" },
  RESULTS_DIR: { type: folder, help: 'where results go [results]' },
};

/** Not for a command line: of who asks Prometheus, and of the machine. */
export const environment = {
  PROMETHEUS_URL: {
    type: url,
    help: "somebody else's Prometheus: of a stack that is external, or of the live page",
  },
  PROMETHEUS_USERNAME: { type: text, help: 'who asks that Prometheus, where it has basic authentication' },
  PROMETHEUS_PASSWORD: { type: text, help: 'the password of PROMETHEUS_USERNAME', secret },
  REFERENCE_URL: { type: url, help: "with STACK=external: the reference target of somebody else's stack" },
  REFERENCE_TOKEN: { type: text, help: 'the token of REFERENCE_URL', secret },
  RELEASE_URL: {
    type: url,
    help: 'where the programs of tools/release.json are: k6 is downloaded and checked instead of built',
  },
  TOOLS_FROM_SOURCE: {
    type: flag,
    default: '0',
    help: "natively: 1 builds the pinned Prometheus and node_exporter, instead of the host's",
  },
  MCP_LOAD_LAB_CACHE: { type: folder, help: 'where built tools are kept [~/.cache/mcp-load-lab]' },
};
