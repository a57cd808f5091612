/** `make list`: every test with its length by profile, from the plan that a run would have, and what it measures. */
import { readdirSync } from 'node:fs';
import { register } from 'node:module';
import { duration } from '../analysis/units.js';
import { variables as ofExperiments } from '../experiments/variables.js';
import { variables as ofTests } from '../lib/config.js';
import { ConfigError } from '../lib/config-error.js';
import { planShape } from '../lib/plan-shape.js';
import { profiles } from '../lib/profiles.js';
import { readVariables } from '../lib/variable.js';

/**
 * @typedef {import('../lib/test.js').TestDefinition} TestDefinition
 * @typedef {import('../lib/phases.js').PlannedPhase} PlannedPhase
 *
 * @typedef {(config: any, legS: (env?: Record<string, string>) => number) => number} Lasts what an experiment exports as
 *   `lasts`: seconds that all of it takes; legS: seconds of one leg with these variables
 */

/** @type {TestDefinition | undefined} */
let defined;
const global = /** @type {any} */ (globalThis);
global.defined = (/** @type {TestDefinition} */ definition) => {
  defined = definition;
};
global.__ENV = process.env;
// A scenario hands its definition to k6; here it is handed to us.
const DEFINE = `data:text/javascript,${encodeURIComponent(
  'export const defineTest = (definition) => (globalThis.defined(definition), {});',
)}`;
const HOOKS = `export const resolve = (specifier, context, next) =>
  specifier.endsWith('/lib/test.js') ? { url: ${JSON.stringify(DEFINE)}, shortCircuit: true } : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);

const here = new URL('..', import.meta.url);
/** @param {string} folder @returns {string[]} */
const namesIn = (folder) =>
  readdirSync(new URL(folder, here)).flatMap((file) => /^([\w-]+)\.js$/.exec(file)?.[1] ?? []);

/** @param {PlannedPhase[]} phases */
const endOf = (phases) => Math.max(...phases.map(({ start_s, duration_s }) => start_s + duration_s));

/**
 * @param {TestDefinition} definition
 * @param {any} config
 * @returns {string}
 */
function lengthOf(definition, config) {
  const phases = planShape(definition, config);
  const length = duration(Math.round(endOf(phases)));
  if (definition.sequence) return `~ ${length}`;
  const measured = phases.filter((phase) => phase.measured);
  // Calls that are counted are made when they are made.
  const atMost = measured.some(({ iterations }) => iterations !== null) ? '<= ' : '';
  return `${atMost}${length}`;
}

/**
 * @param {TestDefinition} definition
 * @param {Lasts} lasts
 * @param {any} config
 * @returns {string}
 */
function lengthOfExperiment(definition, lasts, config) {
  const seconds = lasts(config, (env = {}) => {
    const values = configOf({ ...process.env, PROFILE: config.PROFILE, ...env });
    return endOf(planShape(definition, values));
  });
  return `~ ${duration(Math.round(seconds))}`;
}

/** @param {NodeJS.ProcessEnv} env @returns {any} */
const configOf = (env) => readVariables({ ...ofTests, ...ofExperiments }, env);

async function list() {
  const experiments = namesIn('experiments');
  const heads = Object.keys(profiles);
  const rows = [['test', ...heads, 'what it measures']];
  for (const name of namesIn('scenarios')) {
    defined = undefined;
    await import(new URL(`scenarios/${name}.js`, here).href);
    const definition = /** @type {TestDefinition} */ (/** @type {unknown} */ (defined));
    /** @type {{lasts?: Lasts}} */
    const { lasts } = experiments.includes(name)
      ? await import(new URL(`experiments/${name}.js`, here).href)
      : {};
    const lengths = heads.map((PROFILE) => {
      const config = configOf({ ...process.env, PROFILE });
      try {
        if (lasts) return lengthOfExperiment(definition, lasts, config);
        const length = lengthOf(definition, config);
        return experiments.includes(name) ? `${length} a run` : length;
      } catch (error) {
        // A variable that does not fit one test may fit the others.
        if (error instanceof ConfigError) return '-';
        throw error;
      }
    });
    rows.push([name, ...lengths, definition.title]);
  }
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
  process.stdout.write(
    '\n<= where calls are counted, not time; ~ several runs, or calls one after the other: by estimate, for the reference target;\n- not with these variables.\n' +
      'Setting up and judging take some five seconds more. `make plan TEST=...` shows what one would do.\n',
  );
}

try {
  await list();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 2;
}
