/** The official client conformance suite: which of its scenarios apply to us, and how one is run. */
import { spawn } from 'node:child_process';

const FOLDER = 'tests/conformance';
const NODE = `${FOLDER}/node_modules/node/bin/node`;
const SUITE = `${FOLDER}/node_modules/@modelcontextprotocol/conformance/dist/index.js`;

export const VERSIONS = ['2025-06-18', '2025-11-25', '2026-07-28'];

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

/** Its other scenarios for authorization have a person log in. */
const CLIENT_CREDENTIALS = ['auth/client-credentials-basic', 'auth/client-credentials-jwt'];

/**
 * @returns {Promise<{scenario: string, version: string}[]>} all that a client without a person can be asked for;
 *   version: of the specification, '' for a scenario of an extension, which has none
 */
export async function runs() {
  const found = CLIENT_CREDENTIALS.map((scenario) => ({ scenario, version: '' }));
  for (const version of VERSIONS) {
    const { output } = await suite(['list', '--client', '--spec-version', version]);
    for (const [, scenario = ''] of output.matchAll(/^ {2}- (\S+) \[/gm)) {
      if (!scenario.startsWith('auth/')) found.push({ scenario, version });
    }
  }
  return found;
}

/**
 * @param {string} scenario
 * @param {string} version
 * @returns {Promise<{passed: boolean, expected: boolean, summary: string, output: string}>}
 *   expected: it passed, or failed where `expected-failures.yml` says that it does
 */
export async function runScenario(scenario, version) {
  const args = ['--command', `${FOLDER}/command.js`, '--scenario', scenario];
  if (version) args.push('--spec-version', version);
  const limits = ['--timeout', '20000', '--expected-failures', `${FOLDER}/expected-failures.yml`];
  const { code, output } = await suite(['client', ...args, ...limits]);
  const summary = /^Passed: .*$/m.exec(output)?.[0] ?? 'no result';
  const passed = output.includes('OVERALL: PASSED');
  // With a list of expected failures the suite's code says nothing of a client that ended with an error.
  const failsAsListed = output.includes('Expected failures (in baseline)');
  return { passed, expected: code === 0 && (passed || failsAsListed), summary, output };
}
