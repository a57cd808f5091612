/**
 * How many sessions can a server hold, and what does each session cost? This script is the load of one trial
 * (trials.ts).
 */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

/** VUs that call while sessions are idle, and VUs that open a session for each call. */
const IDLE_VUS = 5;
const CHURN_VUS = 10;

/** Abandoned sessions, one per VU. Each VU later checks whether the server still knows its session. */
const PROBES = 20;

/**
 * The load that trials.ts requests (CONNECTIONS_LOAD, JSON).
 *
 * @type {{kind?: 'idle' | 'churn' | 'abandoned' | 'active', sizes?: number[], vus?: number, lengthS?: number,
 *   waitS?: number, openedPerS?: number}}
 */
const {
  kind,
  sizes = [],
  vus = IDLE_VUS,
  lengthS = 30,
  waitS = 0,
  openedPerS = 1,
} = JSON.parse(__ENV.CONNECTIONS_LOAD || '{}');
const duration = `${lengthS}s`;

/** @type {Record<string, () => import('../../lib/phases.js').Phase[]>} */
const LOADS = {
  idle: () =>
    [0, ...sizes].map((size, index) => ({
      ...{ name: String(size), vus, duration, streams: size, labels: { sessions: size } },
      ...(size > 0 && {
        pause: `${Math.max(1, Math.ceil((size - (sizes[index - 2] ?? 0)) / openedPerS))}s`,
        leaving: 'delete',
      }),
    })),
  churn: () => [{ name: 'calls', vus: CHURN_VUS, duration }],
  abandoned: () => [
    {
      ...{ name: 'calls', vus: CHURN_VUS, duration, pause: '1s' },
      ...{ streams: PROBES, leaving: 'close', asking: `${waitS}s` },
    },
  ],
};

export const { options, setup, iterate, teardown } = defineTest({
  name: 'connections',
  title: 'idle and active sessions, from 100 up to the limit of the machine',
  group: 'protocol and access',
  about:
    'idle and active sessions from 100 up; memory per session with a confidence interval, handshakes/s, churn, abandoned sessions',
  judgedBy: 'failures < 1%; the reference target must release abandoned sessions',
  servers: 'any',
  covers: ['erlmcp: Concurrent Connection Scaling'],
  workload: reference,
  mix: 'get_user',
  phasesOf: () => LOADS[kind ?? '']?.() ?? [{ name: 'calls', vus, duration }],
  asWritten: true,
  warmUp: '2s',
  objectives: { each: { failure_rate: 0.01 } },
});
