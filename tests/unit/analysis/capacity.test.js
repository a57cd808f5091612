import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capacitiesOf } from '../../../analysis/capacity.ts';
import { capacity } from '../../../analysis/findings/capacity-finding.ts';
import { phases as phasesOf } from '../../../analysis/judge/phases.ts';
import { histogramOf, lineOf, near, STARTED_MS, summary } from './build.js';

const STARTED_S = STARTED_MS / 1000;
const BASELINE_S = 20;
const SPIKE_S = 10;

/**
 * A server that answers so many calls a second, each after `serviceMs` where nothing waits: 10/s for 20 s, then `offered`/s for 10 s, and the
 * rest is answered after that.
 *
 * @param {object} server
 * @param {number} server.perS
 * @param {number} server.serviceMs
 * @param {number} [server.offered]
 * @param {number} [server.delayS] after which an answer comes at the earliest
 * @param {number} [server.failing] share of its answers that are failures
 * @param {number} [server.rejecting] share of its calls that it rejects at once
 */
function ran({ perS, serviceMs, offered = 200, delayS = 0, failing = 0, rejecting = 0 }) {
  const begins = STARTED_S + BASELINE_S;
  const lines = [];
  for (let at = 0; at < BASELINE_S; at += 1)
    lines.push(lineOf(STARTED_S + at, 'baseline', answeredAtOnce(10, serviceMs)));
  let waiting = 0;
  const served = offered * (1 - rejecting);
  const beganAt = (/** @type {number} */ second) => (second >= 0 && second < SPIKE_S ? served : 0);
  for (let at = 0; at < SPIKE_S + delayS || waiting > 0; at += 1) {
    const began = beganAt(at);
    const answers = Math.min(perS, waiting + beganAt(at - delayS));
    waiting += beganAt(at - delayS) - answers;
    const rejected = at < SPIKE_S ? offered * rejecting : 0;
    lines.push(
      lineOf(begins + at, 'spike', {
        requests: began + rejected,
        durations: { ok: histogramOf(900, began), rejected: histogramOf(1, rejected) },
        answered: {
          ok: answers * (1 - failing),
          ...(failing > 0 && { failed: answers * failing }),
          ...(rejected > 0 && { rejected }),
        },
      }),
    );
  }
  const { groups, ...rest } = summary({
    phases: [
      { name: 'baseline', offered_rps: 10, duration_s: BASELINE_S },
      { name: 'spike', offered_rps: offered, duration_s: SPIKE_S, overload: true, figures: {} },
    ],
  });
  const own = [
    ...groups,
    { phase: 'baseline', operation: 'a', durations: { ok: histogramOf(serviceMs, 10 * BASELINE_S) } },
  ];
  const [baseline, spike] = phasesOf({ ...rest, groups: own });
  assert.ok(baseline && spike);
  return capacitiesOf(
    [
      { phase: baseline, baseline: null },
      { phase: spike, baseline },
    ],
    own,
    lines,
  );
}

/** @param {number} count @param {number} ms */
const answeredAtOnce = (count, ms) => ({
  requests: count,
  durations: { ok: histogramOf(ms, count) },
  answered: { ok: count },
});

/** @param {Parameters<typeof ran>[0]} server @returns the statement */
const said = (server) => capacity({ capacities: ran(server) })[0]?.statement;

test('answers a second while calls wait, and how many are served at once', () => {
  const [found] = ran({ perS: 50, serviceMs: 20 });
  near(found?.answers_per_s.value, 50);
  near(found?.service_ms.value, 20);
  near(found?.parallelism?.value, 1);
  assert.equal(
    said({ perS: 50, serviceMs: 20 }),
    'answers at most 50/s, about one call at a time: measured in spike while calls waited',
  );
  assert.match(String(said({ perS: 100, serviceMs: 100 })), /about 10 calls at a time/);
  assert.match(String(said({ perS: 20, serviceMs: 10 })), /less than one call at a time/);
});

test('the drain after the phase counts, and the second in which it ends does not', () => {
  const [found] = ran({ perS: 75, serviceMs: 20 });
  // 2,000 calls take 27 s; half of the most in flight is what counts as waiting.
  assert.equal(found?.fromS, STARTED_S + BASELINE_S + 5);
  near(found?.answers_per_s, { value: 75, low: 75, high: 75 });
  assert.ok(Number(found?.toS) > STARTED_S + BASELINE_S + SPIKE_S);
});

test('a server that keeps up has no capacity that was seen', () => {
  assert.deepEqual(ran({ perS: 200, serviceMs: 20 }), []);
  // Those in flight are being served.
  assert.deepEqual(ran({ perS: 200, serviceMs: 2000, delayS: 2 }), []);
  assert.equal(ran({ perS: 200, serviceMs: 200, delayS: 2 }).length, 1);
});

test('calls that are too short, or fail, do not show how many are served at once', () => {
  const [short] = ran({ perS: 150, serviceMs: 2 });
  assert.deepEqual([short?.answers_per_s.value, short?.parallelism, short?.unknown], [150, null, 'short']);
  const [failing] = ran({ perS: 50, serviceMs: 20, failing: 0.2 });
  assert.deepEqual([failing?.answers_per_s.value, failing?.unknown], [40, 'failing']);
  assert.deepEqual(ran({ perS: 50, serviceMs: 20, failing: 0.6 }), []);
  assert.deepEqual(ran({ perS: 50, serviceMs: 20, rejecting: 0.6 }), []);
});
