/** All variables of the project by group, and the variables of each command. */
import { partOf, testNames } from './tests.js';
import {
  baseline,
  compare,
  compareAb,
  comparisons,
  environment,
  others,
  pipeline,
  runs,
  stack,
  test,
} from './variables/commands.js';
import { load } from './variables/load.js';
import { server } from './variables/server.js';
import { target } from './variables/target.js';
import { trials } from './variables/trials.js';

/** @typedef {Record<string, import('./variable.js').Variable<any>>} Variables */

/** @type {Variables[]} variables of single tests */
const ofTests = await Promise.all(
  testNames().map(async (test) => {
    const file = partOf(test, 'variables');
    return file ? (await import(file)).variables : {};
  }),
);

/** Variables of all tests. */
export const ofRuns = { ...target, ...server, ...load, ...trials, ...runs };

/** @type {Variables} */
const ofAnyRun = Object.assign({}, ofRuns, ...ofTests);

/** @type {[title: string, Variables][]} */
export const groups = [
  ['The target and its calls', { ...target, ...server, ...runs }],
  ['The load and its objectives', { ...load, ...test }],
  ['Tests with several k6 runs', Object.assign({}, trials, ...ofTests)],
  ['Comparisons', { ...compare, ...compareAb, ...comparisons, ...baseline }],
  ['Pipelines (docs/ci.md)', pipeline],
  ['Other targets', others],
  ['The stack and the machine', { ...stack, ...environment }],
];

/** @type {Record<string, Variables>} */
export const ofCommand = {
  run: ofAnyRun,
  gateway: ofAnyRun,
  'workload-init': ofAnyRun,
  list: ofAnyRun,
  signals: { ...ofAnyRun, FORMAT: others.FORMAT },
  live: { RUN: others.RUN, PORT: others.PORT },
  dashboards: { PORT: others.PORT },
  compare: { ...compare, ...comparisons },
  'compare-ab': { ...compareAb, ...test, ...comparisons, ...ofAnyRun },
  'baseline-save': {
    ...baseline,
    BASE: compare.BASE,
    INCLUDE_FAILED: comparisons.INCLUDE_FAILED,
    BASELINES_DIR: comparisons.BASELINES_DIR,
  },
  ci: { ...pipeline, ...test, BASE: compare.BASE, ...comparisons, ...ofAnyRun },
};
/** Variables of all commands. */
export const ofAll = stack;
