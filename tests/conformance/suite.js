/** The official client conformance suite: which of its scenarios apply to us, and how one is run. */
import { spawn } from 'node:child_process';

const FOLDER = 'tests/conformance';
const NODE = `${FOLDER}/node_modules/node/bin/node`;
const SUITE = `${FOLDER}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;

/** Why a scenario is not run, by how its name begins. */
const EXCLUDED = {
  'auth/': 'a person logs in',
  'sep-2640-': 'skills: what becomes of them is the business of the script, and of no client for load',
};
/** Those for authorization in which nobody logs in: a client lets itself in, or sees that it must not. */
const WITHOUT_LOGIN = [
  'auth/client-credentials-basic',
  'auth/client-credentials-jwt',
  'auth/wif-jwt-bearer',
  'auth/resource-mismatch',
  'auth/metadata-issuer-mismatch',
];

/**
 * @param {string[]} args
 * @returns {Promise<{code: number | null, output: string}>}
 */
function suite(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(NODE, ['--import', `./${FOLDER}/loopback.js`, SUITE, ...args]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/**
 * @typedef {object} Scenario
 * @property {string} scenario
 * @property {string} version of the specification; '' for one of an extension, which has none
 * @property {string | undefined} excluded why it is not run
 *
 * @returns {Promise<Scenario[]>} all that the suite has, for each version
 */
export async function scenarios() {
  const { output } = await suite(['list', '--client']);
  return [...output.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)].flatMap(([, scenario = '', versions = '']) => {
    const [, reason] = Object.entries(EXCLUDED).find(([start]) => scenario.startsWith(start)) ?? [];
    const excluded = WITHOUT_LOGIN.includes(scenario) ? undefined : reason;
    return versions
      .split(',')
      .map((version) => ({ scenario, version: version === 'extension' ? '' : version, excluded }));
  });
}

/**
 * @param {Scenario} scenario
 * @returns {Promise<{passed: boolean, summary: string, output: string}>}
 */
export async function runScenario({ scenario, version }) {
  const args = ['client', '--command', `${FOLDER}/command.js`, '--scenario', scenario, '--timeout', '20000'];
  const { code, output } = await suite(version ? [...args, '--spec-version', version] : args);
  const summary = /^Passed: .*$/m.exec(output)?.[0] ?? 'no result';
  return { passed: code === 0 && output.includes('OVERALL: PASSED'), summary, output };
}
