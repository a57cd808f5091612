/** The benches still run, with a few requests each: what they find out so is worth nothing, but for that it is something. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { command } from '../lab.js';
import { setUp } from '../tool.js';

setUp('k6', 'prometheus', 'bench-server', 'exporter');

/** @type {[name: string, env: Record<string, string>, rows: string[]][]} */
const BENCHES = [
  [
    'client.ts',
    { ROUNDS: '1', REQUESTS: '800', USERS: '100', SESSIONS: '50', LISTENERS: '40', GOGC: '400' },
    [
      'JSON, 700 bytes',
      'the same, with expect in JavaScript',
      'the same as SSE',
      'JSON, 64 KB',
      "a scenario's call, against the module alone",
      'with the output lab, against none',
      'with remote write on top',
      'memory of a VU',
      '50 VUs with sessions',
      '40 streams held for 10 s, 20 a VU',
    ],
  ],
  [
    'accuracy.ts',
    { ROUNDS: '1', PHASE_SECONDS: '1', STALL_SECONDS: '6' },
    ['constant, 50/s', 'bimodal, 200/s', 'heavy-tail, 500/s', 'longest, ms'],
  ],
  [
    'memory.ts',
    { REQUESTS: '600', RATE: '200' },
    ['bare k6', 'a scenario by k6 alone, with its summary', 'a scenario with the output lab and Prometheus'],
  ],
  ['exporter.ts', { CONNECTIONS: '50', SCRAPES: '1' }, ['50']],
];

describe('benches', { concurrency: true }, () => {
  for (const [name, env, rows] of BENCHES) {
    test(`bench/${name}`, async () => {
      const { code, output } = await command('node', [`bench/${name}`], env);
      // 1: a limit does not hold, as so few requests may have it.
      assert.ok(code === 0 || code === 1, output);
      for (const row of rows) {
        const line = output.split('\n').find((text) => text.startsWith('│') && text.includes(row));
        assert.ok(line !== undefined, `no row of ${row} in:\n${output}`);
        assert.doesNotMatch(line, /NaN|Infinity|undefined/);
      }
    });
  }
  test('a wrong number ends with 2 and one line', async () => {
    const { code, output } = await command('node', ['bench/client.ts'], { ROUNDS: 'many' });
    assert.deepEqual([code, output], [2, 'error: ROUNDS is "many"; valid: a whole number above 0\n']);
  });
});
