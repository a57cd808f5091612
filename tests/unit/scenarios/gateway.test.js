import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SparseHistogram } from '../../../analysis/collect/sparse-histogram.ts';
import { givenGateway } from '../../../scenarios/gateway/subject.ts';
import gatewayTable from '../../../scenarios/gateway/table.ts';
import { toolNames, toolsOnly } from '../../../scenarios/gateway/tools.ts';
import { check, enoughS } from '../../../scenarios/gateway/trials.ts';
import { histogramOf, near } from '../analysis/build.js';
import { rowsOf } from './rows-of.js';

/** @type {any} */
const CONFIG = {
  ...{ PROFILE: 'quick', RUNS: null, DURATION: null, GATEWAY_STORE: 'sqlite', TARGET_URL: '' },
  ...{ TARGET_CONFIRM: [], RATE: null, MAX_RATE: 5000 },
};

test('what does not go together is one clear line', () => {
  assert.doesNotThrow(() => check(CONFIG));
  assert.throws(
    () => check({ ...CONFIG, GATEWAY_RPC_URL: 'http://x/rpc' }),
    /GATEWAY_RPC_URL needs GATEWAY_URL/,
  );
  assert.throws(
    () => check({ ...CONFIG, DURATION: 10 }),
    /DURATION is 10 s, for 4 rounds of 3 trials; valid: 36s/,
  );
  process.env.TARGET_HEADERS = 'X-User: one';
  try {
    assert.throws(() => check(CONFIG), /TARGET_HEADERS needs GATEWAY_URL/);
  } finally {
    delete process.env.TARGET_HEADERS;
  }
  const stack = { ...CONFIG, GATEWAY_STORE: 'stack' };
  assert.throws(
    () => check({ ...stack, GATEWAY_URL: 'http://[::1]/mcp' }),
    /set only one of GATEWAY_STORE=stack/,
  );
  assert.throws(() => check({ ...stack, TARGET_URL: 'http://x/mcp' }), /TARGET_URL is "http:\/\/x\/mcp"/);
});

test('a slow gateway gets longer trials, for a p99 of a hundred answers, up to twice as long', () => {
  assert.equal(enoughS(15, 10, 4), 15);
  // 4 rounds of 2/3 x 15.9 s, without 2 s of each, at 3.2/s: 110 answers.
  assert.ok(Math.abs(enoughS(15, 3.2, 4) - 15.89) < 0.01);
  assert.equal(enoughS(15, 0.5, 4), 30);
});

test("another gateway's names of tools: a prefix, and what TOOL_NAMES says", async () => {
  const { names, name, pid } = await givenGateway({
    ...CONFIG,
    GATEWAY_URL: 'http://127.0.0.1:4444/mcp',
    GATEWAY_RPC_URL: '',
    GATEWAY_TOKEN: 't',
    GATEWAY_PREFIX: 'up_',
    WORKLOAD: '',
    TOOL: '',
    TOOL_NAMES: { get_user: 'user' },
  });
  assert.equal(names.get_user, 'user');
  assert.equal(names.search_users, 'up_search_users');
  assert.equal(name, '127.0.0.1:4444');
  assert.equal(pid, null);
});

test('of a document the tools alone are called, of a file with a method the tool that it stands for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  try {
    const path = join(folder, 'w.json');
    const document = {
      schema: 'mcp-load-lab/workload/1',
      name: 'w',
      dialect: 'mcp',
      operations: {
        now: { class: 'read', method: 'tools/call', params: { name: 'time_now' }, arguments: [{}] },
        'tools/list': { class: 'protocol', method: 'tools/list', params: {} },
      },
      mixes: { default: { now: 1, 'tools/list': 1 } },
    };
    writeFileSync(path, JSON.stringify(document));
    assert.deepEqual(await toolNames({ WORKLOAD: path, TOOL: '' }), ['time_now']);
    const { WORKLOAD = '' } = toolsOnly(path, folder);
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(WORKLOAD, 'utf8')).operations), ['now']);
    assert.deepEqual(toolsOnly('', folder), {});
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const START = Date.parse('2026-01-01T00:00:00Z');
const TRIAL_MS = 60_000;

/**
 * Rounds of two ways: 10 s of steady load, 5 s of a loop, one answer each 50 ms.
 *
 * @param {number[]} added by the gateway in each round, ms
 */
function facts(added) {
  const trials = added.flatMap((_, index) =>
    ['direct', 'mcp'].map((way) => ({ round: index + 1, way, name: `round-${index + 1}-${way}` })),
  );
  const phases = trials.flatMap(({ round, way, name }, index) =>
    ['steady', 'loop'].map((load, second) => ({
      name: `${name}-${load}`,
      measured: true,
      labels: { way, round: String(round), load },
      start: new Date(START + index * TRIAL_MS + second * 10_000).toISOString(),
      duration_s: second === 0 ? 10 : 5,
      vus: second === 0 ? null : 10,
      requests: 100,
      failed: 0,
    })),
  );
  const linesOf = (/** @type {string} */ trial) => {
    const lines = [];
    for (const { name, start, duration_s: lasts, labels } of phases.filter(({ name }) =>
      name.startsWith(trial),
    )) {
      const every = labels.way === 'mcp' && labels.load === 'loop' ? 100 : 50;
      for (let at = 0; at < lasts; at += 1) {
        const durations = [];
        for (let ms = at * 1000; ms < (at + 1) * 1000; ms += every) {
          // Users that open their sessions first wait for long.
          const opening = ms < 1500 ? 5000 : 0;
          const more = labels.way === 'mcp' ? Number(added[Number(labels.round) - 1]) : 0;
          durations.push(histogramOf(10 + (ms % 7) + more + opening, 1));
        }
        const duration = new SparseHistogram(...durations).text;
        const second = { at: Date.parse(start) / 1000 + at, vus: 1, groups: { 0: { duration } } };
        lines.push({ second, groups: new Map([['0', { phase: name, operation: '' }]]) });
      }
    }
    return lines;
  };
  const cores = Object.fromEntries(phases.map(({ name }) => [name, name.includes('mcp') ? 0.97 : null]));
  return /** @type {any} */ ({
    phases,
    seconds: new Map(trials.map(({ name }) => [name, linesOf(name)])),
    trials: {
      trials: trials.map(({ name }) => ({ name })),
      result: { gateway: 'a gateway', rate: 20, cores },
    },
  });
}

test('what a gateway adds is what it adds, the opening of sessions aside', async () => {
  const { tables, findings } = await gatewayTable(facts([90, 90]));
  const [steady, added, loop] = tables;
  assert.match(String(steady?.title), /20\/s: direct, and through a gateway/);
  assert.deepEqual(
    rowsOf(steady).map(({ way, requests, failed, p50 }) => [way, requests, failed, Math.round(Number(p50))]),
    [
      ['direct, MCP', 200, 0, 13],
      ['gateway, MCP', 200, 0, 103],
    ],
  );
  near(rowsOf(added)[0]?.p50, '+90 ms (90 to 90)');
  assert.deepEqual(
    rowsOf(loop).map((row) => [row.way, Math.round(Number(row['calls/s']))]),
    [
      ['direct, MCP', 20],
      ['gateway, MCP', 10],
    ],
  );
  assert.equal(rowsOf(loop)[1]?.['vs direct (95% interval)'], '50 % (50 % to 50 %)');
  assert.match(String(findings?.[1]?.statement), /kept 0\.97 processors busy/);
});

test('too few answers are no percentile', async () => {
  const given = facts([90, 90]);
  const few = new Map([['round-1', given.seconds.get('round-1-direct').slice(0, 6)]]);
  const { tables } = await gatewayTable({ ...given, seconds: few });
  assert.match(String(rowsOf(tables[1])[0]?.p99), /^too few \(\d+\)$/);
});

/** @param {number[]} added by the gateway in each round, ms */
function addedBy(added) {
  const { tables, findings } = gatewayTable(facts(added));
  return { row: rowsOf(tables[1])[0], finding: findings?.[0] };
}

test('rounds of known differences: their mean, with the interval by Student', () => {
  // Standard deviation 11.55 ms, t with 3 degrees of freedom 3.182: 90 +- 3.182 * 11.55 / sqrt(4).
  const { row, finding } = addedBy([80, 100, 80, 100]);
  for (const cell of [row?.p50, row?.p95, row?.p99]) near(cell, '+90 ms (71.6 to 108)');
  near(finding?.statement, 'gateway, MCP: +90 ms (71.6 to 108) at the median of a call');
  near(finding?.figures, { added_ms: 90 });
});

test('rounds that differ by chance: the interval includes 0', () => {
  const p50 = String(addedBy([4, -3, 2, -4, 3, -1]).row?.p50);
  const [, low, high] = /^\+0\.\d+ ms \((-\d\.\d+) to (\d\.\d+)\)$/.exec(p50) ?? [];
  assert.ok(Number(low) < -3 && Number(high) > 3, p50);
});

test('one round has no interval', () => {
  near(addedBy([90]).row?.p50, '+90 ms (inconclusive)');
});
