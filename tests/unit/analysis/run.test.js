import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretsOf } from '../../../analysis/clean-text.ts';
import { validateRun } from '../../../analysis/judge/run.ts';
import { renderMarkdown } from '../../../analysis/render/markdown.ts';
import { near, objective, QUIET_LOG, runOf, signal, summary, trend } from './build.js';

/**
 * @param {Partial<Parameters<typeof runOf>[0]>} [collected]
 * @param {Partial<import('../../../analysis/collect/observe.ts').Server>} [server]
 */
const make = (collected = {}, server = {}) =>
  runOf(
    { testid: 'folder', summary: summary({ phases: [{ name: 'a', figures: {} }] }), ...collected },
    server,
  );

const captured = () => summary({ phases: [{ name: 'a', figures: { failures: { tool: 3 } } }] });

test('the same inputs make the same document', async () => {
  const [one, two] = [await make({ summary: captured() }), await make({ summary: captured() })];
  assert.equal(JSON.stringify(one), JSON.stringify(two));
  assert.deepEqual(Object.keys(one).slice(0, 4), ['schema', 'testid', 'test', 'title']);
});

test('every outcome is a document of the schema', async () => {
  const abort = { code: /** @type {const} */ (2), reason: 'PROFILE is "nope"' };
  const slow = {
    phases: [{ name: 'a', figures: { p99: 500 } }],
    objectives: [objective('a', 'p99_ms', '<', 85)],
  };
  const runs = [
    await make(),
    await make({ summary: summary(slow), k6Exit: 99 }),
    await make({}, { signals: [signal('generator_cpu', 'a', 0.9)] }),
    await make({ summary: null, summaryProblem: 'k6 left no summary.json', k6Exit: 137 }),
    await make({
      summary: summary({ startedMs: null, ranS: 0.1, phases: [{ name: 'a' }] }),
      k6Exit: 108,
      abort,
    }),
    await make({ summary: summary({ startedMs: null, ranS: 0.1, phases: [{ name: 'a' }] }) }),
  ];
  assert.deepEqual(
    runs.map(({ verdict: { outcome, exit_code } }) => [outcome, exit_code]),
    [
      ['pass', 0],
      ['fail', 99],
      ['invalid', 98],
      ['error', 137],
      ['error', 2],
      ['error', 1],
    ],
  );
  for (const run of runs) assert.equal(validateRun(JSON.parse(JSON.stringify(run))), null);
});

test('a run that ended in its set-up has no figures, no judgements and no notes', async () => {
  const run = await make({
    summary: summary({
      startedMs: null,
      ranS: 0.1,
      phases: [{ name: 'a' }],
      objectives: [objective('a', 'p99_ms', '<', 1)],
    }),
  });
  assert.deepEqual([run.started, run.thresholds, run.operations, run.findings], [null, [], [], []]);
  assert.deepEqual(run.verdict.reasons, ['the run ended during set-up, although k6 exited with code 0']);
});

/** @type {Record<string, [(run: any) => void, RegExp]>} what is broken in a good document, what is said of it */
const BROKEN = {
  'another schema': [(run) => (run.schema = 'mcp-load-lab/run/2'), /\/schema/],
  'a field more': [(run) => (run.extra = 1), /additional properties \(extra; valid: schema, /],
  'a field more in a phase': [(run) => (run.phases[0].p99 = 1), /\/phases\/0 .*\(p99; valid: name, /],
  'a field less': [(run) => delete run.verdict, /required property 'verdict'/],
  'figures of a warm-up': [(run) => (run.phases[0].requests = 5), /\/phases\/0/],
  'a latency that is text': [(run) => (run.phases[1].latency_ms.p99 = '5'), /\/phases\/1\/latency_ms/],
  'a negative count': [(run) => (run.phases[1].requests = -1), /\/phases\/1\/requests/],
  'a share over 1': [(run) => (run.phases[1].failure_rate = 1.5), /\/phases\/1\/failure_rate/],
  'a time that is none': [(run) => (run.started = 'yesterday'), /\/started/],
  'an unknown outcome': [(run) => (run.verdict.outcome = 'meh'), /\/verdict/],
  "a pass with a fail's code": [(run) => (run.verdict.exit_code = 99), /\/verdict/],
  'a verdict without a reason': [(run) => (run.verdict.reasons = []), /\/verdict\/reasons/],
  'an unknown finding': [(run) => (run.findings[0].kind = 'hunch'), /\/findings\/0\/kind/],
  'a threshold neither judged nor not': [(run) => (run.thresholds[0].ok = 'yes'), /\/thresholds\/0\/ok/],
  'a failure that did not happen': [(run) => (run.failures[0].count = 0), /\/failures\/0\/count/],
  'text without end': [(run) => (run.title = 'x'.repeat(501)), /\/title/],
  'no document': [() => {}, /must be object/],
};
for (const [name, [breakIt, message]] of Object.entries(BROKEN)) {
  test(`refused: ${name}`, async () => {
    const run = JSON.parse(
      JSON.stringify(
        await make({
          summary: summary({
            phases: [
              { name: 'warm-up', measured: false },
              { name: 'a', figures: { failures: { tool: 1 } } },
            ],
            objectives: [objective('a', 'p99_ms', '<', 85)],
            plan: { reference_machine: { cores: 999, memory_bytes: 1 } },
          }),
        }),
      ),
    );
    assert.equal(validateRun(run), null);
    breakIt(run);
    assert.match(validateRun(name === 'no document' ? null : run) ?? 'valid', message);
  });
}

test('no secret, no credential and no escape code gets through', async () => {
  const token = 'tok-5ecret-0123';
  const run = await make({
    secrets: secretsOf({ TARGET_TOKEN: token }),
    log: { ...QUIET_LOG, samples: { tool: `echo: you sent ${token}\u001b[2J` } },
    summary: summary({
      phases: [{ name: 'a', figures: { failures: { tool: 1 } } }],
      plan: {
        target: {
          url: `http://me:${token}@127.0.0.1/mcp?token=${token}`,
          server: { name: `\u001b]0;owned\u0007${'n'.repeat(5000)}`, version: `Bearer ${token}` },
        },
      },
    }),
  });
  const text = JSON.stringify(run);
  assert.ok(!text.includes(token));
  assert.ok(!text.includes('\\u001b'));
  assert.equal(run.target?.url, 'http://127.0.0.1/mcp?token=***');
  assert.equal(run.target?.server?.name?.length, 500);
  assert.equal(run.failures[0]?.sample, 'echo: you sent *** [2J');
});

test('a test that is named like another file of tables/ has no tables', async () => {
  const spec = { phases: [{ name: 'a', figures: {} }], plan: { test: 'report-tables' } };
  assert.deepEqual((await make({ summary: summary(spec) })).tables, []);
});

test('handshakes are kept apart from the calls', async () => {
  const spec = {
    phases: [{ name: 'a', figures: {} }],
    metrics: {
      mcp_session_duration: { values: trend(12, 700) },
      mcp_sessions_expired: { values: { count: 3 } },
    },
  };
  const { sessions, findings } = await make({ summary: summary(spec) });
  near([sessions?.count, sessions?.expired, sessions?.duration_ms.p99], [700, 3, 12]);
  assert.ok(findings.some(({ subject }) => subject === 'sessions'));
});

test('how the reference target was set up is in the run document and in the report', async () => {
  const spec = { phases: [{ name: 'one', figures: { iterations: 200 } }] };
  const run = await runOf({ summary: summary(spec), settings: { WORKERS: '4' } });
  assert.deepEqual(run.target?.settings, { WORKERS: '4' });
  assert.match(renderMarkdown(run), /\| settings \| WORKERS=4 \|/);
  const { target } = await runOf({ summary: summary(spec) });
  assert.equal(target?.settings, null);
});

test('figures that fit the summary and make no run: an error that says so, not none at all', async () => {
  const damaged = captured();
  Object.assign(damaged.plan.phases[0] ?? {}, { offered_rps: -20 });
  const { verdict, phases } = await make({ summary: damaged });
  assert.equal(verdict.outcome, 'error');
  assert.match(verdict.reasons[0] ?? '', /^the measurements do not form a run document: \/phases\/0\//);
  assert.deepEqual(phases, []);
});

test('refused: a pass where a threshold failed', async () => {
  const slow = {
    phases: [{ name: 'a', figures: { p99: 500 } }],
    objectives: [objective('a', 'p99_ms', '<', 85)],
  };
  const run = JSON.parse(JSON.stringify(await make({ summary: summary(slow), k6Exit: 99 })));
  run.verdict = { outcome: 'pass', exit_code: 0, reasons: ['1 threshold held'] };
  assert.equal(validateRun(run), '/verdict says pass, and /thresholds/0 that it was missed');
});
