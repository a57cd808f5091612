import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { anyText, nearly } from './generated.js';
import { isOneLine } from './oracles.js';
import { property } from './property.js';
import { scratchFolder } from './scratch-folder.js';
import { textsOf, VARIABLES } from './variables.js';

const TESTS = [
  'spike',
  'baseline',
  'soak',
  'capacity',
  'sweep',
  'chaos',
  'scaling',
  'tools',
  'crud',
  'batch',
];
/** Where there is a target, it is asked; here there is none. And DRY_RUN stays on. */
const NAMES = Object.keys(VARIABLES).filter((name) => !/URL|^DRY_RUN$|^TOOLS$|^ALLOW_WRITES$/.test(name));

const scratch = scratchFolder('mcp-load-lab-fuzz-plan-');
const script = fileURLToPath(new URL('../../scripts/run', import.meta.url));

const given = fc.constantFrom(...NAMES).chain((name) => {
  const own = textsOf(name);
  return fc
    .oneof(anyText, nearly(fc.constantFrom(...own)), fc.constantFrom(...own))
    .map((text) => `${name}=${text.toWellFormed().replaceAll('\0', '')}`);
});

/** @type {import('./property.js').Area} */
const area = {
  name: 'plan',
  close: async () => rmSync(scratch, { recursive: true, force: true }),
  properties: [
    property({
      name: 'scripts/run shows its plan, or says in one line what is wrong',
      runs: 4,
      input: fc.record({
        test: fc.oneof(
          { weight: 6, arbitrary: fc.constantFrom(...TESTS) },
          fc.constant('spike soak'),
          fc.constant(''),
        ),
        variables: fc.array(given, { minLength: 1, maxLength: 3 }),
      }),
      holds: async ({ test, variables }) => {
        const env = {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          STACK: 'native',
          RUN_DIR: join(scratch, 'run'),
          RESULTS_DIR: join(scratch, 'results'),
        };
        const child = spawn(script, [test, ...variables, 'DRY_RUN=1'], {
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        let [out, err] = ['', ''];
        child.stdout.on('data', (chunk) => {
          out += chunk;
        });
        child.stderr.on('data', (chunk) => {
          err += chunk;
        });
        const code = await new Promise((resolve) => child.on('close', resolve));
        assert.ok(code === 0 || code === 2, `exit code ${code}: ${err}`);
        const lines = err.split('\n').filter((line) => line !== '');
        for (const line of lines) isOneLine(line);
        if (code === 2) assert.match(err, /^error: [^\n]+\n$/);
        else assert.match(out, /profile/);
      },
    }),
  ],
};
export default area;
