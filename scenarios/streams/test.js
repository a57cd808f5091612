/** How many streams does a server hold, what does each cost, and when are they closed? */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

/**
 * most: maximum number of streams, unless STREAMS is set; stepS: seconds per step; openingS: seconds before
 * it in which the streams are opened.
 */
const PROFILES = {
  smoke: { most: 100, stepS: 4, openingS: 1 },
  quick: { most: 1000, stepS: 15, openingS: 3 },
  full: { most: 10_000, stepS: 60, openingS: 20 },
};
const STEPS = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000];

/** @param {import('../../contract/profiles.js').ProfileName} profile */
function phasesOf(profile) {
  const { most, stepS, openingS } = PROFILES[profile];
  const last = Number(__ENV.STREAMS || most);
  const steps = [...STEPS.filter((count) => count < last), last];
  const calls = { rate: 20, duration: `${stepS}s` };
  return [
    { ...calls, name: 'before', labels: { streams: 0 } },
    ...steps.map((streams) => ({
      ...calls,
      name: `held-${streams}`,
      streams,
      labels: { streams },
      pause: `${openingS}s`,
    })),
    { ...calls, name: 'after', labels: { streams: 0 }, pause: `${openingS}s` },
  ];
}

export const { options, setup, iterate, teardown } = defineTest({
  name: 'streams',
  title: '20 calls/s with an increasing number of held streams',
  group: 'protocol and access',
  about:
    'holds 10 to `STREAMS` streams (subscriptions/listen or GET) during calls. Reports when the server refuses more, the cost per stream, their lifetime, and with `NOTIFY_TOOL` lost and late notifications',
  judgedBy: 'failures < 1%',
  servers: 'any',
  workload: reference,
  mix: 'get_user',
  phasesOf,
  asWritten: true,
  objectives: { each: { failure_rate: 0.01 } },
});
