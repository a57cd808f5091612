import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../../contract/config-error.js';
import { profiles } from '../../../contract/profiles.js';
import {
  drawnObjectives,
  owedObjectives,
  planObjectives,
  readThresholds,
  toThresholds,
} from '../../../lib/objectives.js';
import { planPhases } from '../../../lib/phases.js';
import { planOperations } from '../../../lib/workload.js';
import reference from '../../../workloads/reference.js';

const CONFIG = { DURATION: null, RATE_SCALE: 1, MAX_VUS: 1000 };
const phases = planPhases(
  [
    { name: 'calm', rate: 100, duration: '10s' },
    { name: 'spike', rate: 2000, duration: '10s', overload: true },
    { name: 'after', rate: 100, duration: '10s' },
  ],
  /** @type {any} */ (profiles.full),
  CONFIG,
);
const operations = planOperations(reference, 'mixed', { TOOL: '', ARGS: null });

/** @param {number} rate */
const phasesAt = (rate) =>
  planPhases(
    [
      { name: 'calm', rate, duration: '10s' },
      { name: 'after', rate, duration: '10s' },
    ],
    /** @type {any} */ (profiles.full),
    { ...CONFIG, DURATION: 20 },
    { asWritten: true },
  );

/** @param {import('../../../lib/objectives.js').Objectives} defaults @param {string} [changes] */
const plan = (defaults, changes = '') => planObjectives(defaults, changes, phases, operations);

/** @param {import('../../../lib/objectives.js').Objectives} defaults @param {string} [changes] */
const thresholds = (defaults, changes) => toThresholds(plan(defaults, changes));

test('every phase that is not an overload must get its load, also where nothing else is asked', () => {
  assert.deepEqual(thresholds({}), {
    'iterations{phase:calm}': ['count>=950'],
    'iterations{phase:after}': ['count>=950'],
  });
});

test('a percentile comes with a guard of enough samples', () => {
  const judged = thresholds({ calm: { p99_ms: 85, failure_rate: 0.001 }, all: { p95_ms: 50 } });
  assert.deepEqual(judged['mcp_slow{phase:calm,limit:85}'], ['rate<=0.01']);
  assert.deepEqual(judged['mcp_request_failed{phase:calm}'], ['rate<0.001']);
  assert.deepEqual(judged['mcp_requests{phase:calm}'], ['count>=100', 'count>=1']);
  assert.deepEqual(judged['mcp_slow{limit:50}'], ['rate<=0.05']);
  assert.deepEqual(judged.mcp_requests, ['count>=20']);
});

test('classes and operations are scopes', () => {
  const judged = thresholds({ 'class:read': { p95_ms: 50 }, 'operation:get_user': { p50_ms: 5 } });
  assert.deepEqual(judged['mcp_slow{class:read,limit:50}'], ['rate<=0.05']);
  assert.deepEqual(judged['mcp_slow{operation:get_user,limit:5}'], ['rate<=0.5']);
});

test('`each` means every measured phase but overloads', () => {
  const judged = Object.keys(thresholds({ each: { failure_rate: 0.01 } }));
  assert.ok(judged.includes('mcp_request_failed{phase:calm}'));
  assert.ok(judged.includes('mcp_request_failed{phase:after}'));
  assert.ok(!judged.includes('mcp_request_failed{phase:spike}'));
  assert.ok(!judged.includes('mcp_request_failed{phase:warm-up}'));
});

test('what compares with the first phase is no k6 threshold and does not judge the first', () => {
  const relative = plan({ each: { p95_vs_first: 1.3, throughput_vs_first: 0.955 } }).filter(
    (objective) => objective.relative_to,
  );
  assert.deepEqual(relative, [
    {
      scope: { phase: 'after' },
      metric: 'p95_ms',
      op: '<=',
      limit: 1.3,
      min_samples: 200,
      relative_to: { phase: 'calm' },
      expected_samples: 1000,
    },
    {
      scope: { phase: 'after' },
      metric: 'throughput',
      op: '>=',
      limit: 0.955,
      min_samples: 1,
      relative_to: { phase: 'calm' },
      expected_samples: 1000,
    },
  ]);
});

test('THRESHOLDS changes and adds limits', () => {
  const judged = thresholds(
    { calm: { p99_ms: 85 } },
    'calm.p99_ms=120, all.failure_rate=0.5,after.delivered_share=0.5',
  );
  assert.deepEqual(judged['mcp_slow{phase:calm,limit:120}'], ['rate<=0.01']);
  assert.deepEqual(judged.mcp_request_failed, ['rate<0.5']);
  assert.deepEqual(judged['iterations{phase:after}'], ['count>=500']);
});

test('a wrong THRESHOLDS names the scopes and metrics that are valid', () => {
  for (const wrong of [
    'calm.p98_ms=1',
    'nope.p99_ms=1',
    'p99_ms=1',
    'calm.p99_ms',
    'calm.p99_ms=fast',
    'on',
  ]) {
    assert.throws(
      () => plan({}, wrong),
      (error) =>
        error instanceof ConfigError &&
        error.message.includes('all, each, calm, spike, after') &&
        error.message.includes('p99_ms'),
      wrong,
    );
  }
});

test('a metric that a scope does not have is refused with the scopes that have it', () => {
  for (const [wrong, valid] of [
    ['all.delivered_share=1', 'each, calm, spike, after'],
    ['class:read.delivered_share=1', 'each, calm, spike, after'],
    ['all.throughput_vs_first=1', 'each, spike, after'],
    ['calm.p99_vs_first=2', 'each, spike, after'],
  ]) {
    assert.throws(
      () => plan({}, wrong ?? ''),
      (error) => error instanceof ConfigError && error.message.endsWith(`valid: ${valid}`),
      wrong,
    );
  }
});

test('what a dashboard draws: seconds, shares and factors, for each phase that they judge', () => {
  const drawn = drawnObjectives(
    plan({
      calm: { p99_ms: 85 },
      all: { failure_rate: 0.01 },
      'class:read': { p95_ms: 50 },
      after: { p95_vs_first: 1.3 },
    }),
    phases,
  );
  const of = (/** @type {string} */ name) => drawn.filter(({ tags }) => tags.objective === name);
  assert.deepEqual(of('p99'), [{ value: 0.085, tags: { objective: 'p99', phase: 'calm' } }]);
  assert.deepEqual(
    of('failure_rate').map(({ value, tags }) => [tags.phase, value]),
    [
      ['calm', 0.01],
      ['spike', 0.01],
      ['after', 0.01],
    ],
  );
  assert.deepEqual(of('p95')[0], { value: 0.05, tags: { objective: 'p95', phase: 'calm', class: 'read' } });
  assert.deepEqual(of('p95_vs_first'), [{ value: 1.3, tags: { objective: 'p95_vs_first', phase: 'after' } }]);
  assert.equal(
    drawn.some(({ tags }) => ['min_samples', 'delivered_share'].includes(tags.objective)),
    false,
  );
});

test('a limit that nothing can miss is refused', () => {
  assert.throws(() => plan({}, `calm.p99_ms=${'9'.repeat(400)}`), ConfigError);
});

test('a server that no document is about owes few failures, its load, and what is compared with itself', () => {
  const documents = { all: { failure_rate: 0.0005 }, calm: { p99_ms: 85 }, each: { p99_vs_first: 1.3 } };
  const anyServer = { after: { latency_vs_first: 1.5 }, spike: { failure_rate: 0.02 } };
  assert.deepEqual(owedObjectives(documents, anyServer), {
    each: { failure_rate: 0.01, p99_vs_first: 1.3 },
    ...anyServer,
  });
  const judged = thresholds(owedObjectives(documents));
  assert.deepEqual(Object.keys(judged), [
    'iterations{phase:calm}',
    'mcp_request_failed{phase:calm}',
    'mcp_requests{phase:calm}',
    'iterations{phase:after}',
    'mcp_request_failed{phase:after}',
    'mcp_requests{phase:after}',
  ]);
});

test('latency is compared by the highest percentile that both phases have the samples for', () => {
  const metricAt = (/** @type {number} */ rate) => {
    const relative = planObjectives(
      { after: { latency_vs_first: 1.5 } },
      '',
      phasesAt(rate),
      operations,
    ).filter((objective) => objective.relative_to);
    return relative.map(({ metric, limit, min_samples }) => [metric, limit, min_samples]);
  };
  assert.deepEqual(metricAt(200), [['p99_ms', 1.5, 1000]]);
  assert.deepEqual(metricAt(100), [['p95_ms', 1.5, 200]]);
  assert.deepEqual(metricAt(10), [['p50_ms', 1.5, 20]]);
  // Too few even for a median: the analysis says that it was not judged.
  assert.deepEqual(metricAt(1), [['p50_ms', 1.5, 20]]);
});

test('a default steps down to the percentile that the planned load makes enough samples for', () => {
  const metricsAt = (
    /** @type {number} */ rate,
    limits = /** @type {Record<string, number>} */ ({ p99_ms: 85 }),
  ) =>
    planObjectives({ calm: limits }, '', phasesAt(rate), operations)
      .filter(({ metric }) => metric.endsWith('_ms'))
      .map(({ metric, limit, instead_of, expected_samples }) => [
        metric,
        limit,
        instead_of,
        expected_samples,
      ]);
  assert.deepEqual(metricsAt(11), [['p99_ms', 85, undefined, 110]]);
  // One call that is lost would be one too many.
  assert.deepEqual(metricsAt(10), [['p95_ms', 85, 'p99_ms', 100]]);
  assert.deepEqual(metricsAt(0.3), [['p50_ms', 85, 'p99_ms', 3]]);
  assert.deepEqual(metricsAt(3, { p50_ms: 5, p95_ms: 50, p99_ms: 85 }), [
    ['p50_ms', 5, undefined, 30],
    ['p95_ms', 50, undefined, 30],
  ]);
  const operation = planObjectives({ 'operation:get_user': { p99_ms: 9 } }, '', phasesAt(100), operations);
  assert.ok((operation.at(-1)?.expected_samples ?? 0) < 1000);
});

test('what THRESHOLDS asks for and can not be judged is refused, with what would do', () => {
  const refused = (/** @type {string} */ changes, rate = 3) => {
    try {
      planObjectives({}, changes, phasesAt(rate), operations);
    } catch (error) {
      return error instanceof ConfigError ? error.message : String(error);
    }
    return '';
  };
  assert.equal(
    refused('calm.p99_ms=85'),
    'THRESHOLDS has calm.p99_ms=85, which needs 100 samples, but calm will have 30 (3/s for 10 s); ' +
      'valid: DURATION=75s, or calm.p95_ms=85',
  );
  assert.match(refused('each.p99_ms=85'), /^THRESHOLDS has each\.p99_ms=85, .* or each\.p95_ms=85$/);
  assert.match(refused('after.p99_vs_first=2', 50), /needs 1,?000 samples, .* or after\.p95_vs_first=2$/);
  assert.equal(refused('calm.p95_ms=85'), '');
  assert.equal(refused('all.p99_ms=85', 6), '');
});

test('THRESHOLDS=documents asks for the limits of the documents, and may be changed', () => {
  assert.deepEqual(readThresholds(''), { off: false, documents: false, changes: '' });
  assert.deepEqual(readThresholds('off'), { off: true, documents: false, changes: 'off' });
  assert.deepEqual(readThresholds('documents'), { off: false, documents: true, changes: '' });
  assert.deepEqual(readThresholds('documents, calm.p99_ms=120'), {
    off: false,
    documents: true,
    changes: ' calm.p99_ms=120',
  });
  assert.deepEqual(readThresholds('calm.p99_ms=120').changes, 'calm.p99_ms=120');
});
