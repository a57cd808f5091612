/**
 * What fails when a dependency fails? This script is the load around one fault. trials.ts injects and removes
 * the fault.
 */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

export const { options, setup, iterate } = defineTest({
  name: 'chaos',
  title: 'faults during 100 requests/s: what fails, and how long recovery takes',
  group: 'around the server',
  about:
    '20 faults during 100 requests/s, for example `FAULTS="latency packet-loss"`, a killed worker or a PostgreSQL restart: failures, rejections, recovery time',
  judgedBy:
    'back to normal within 5 s after the fault is removed (`RECOVERY_S`); minimum success rate during the fault',
  servers: 'any',
  covers: ['erlmcp: Chaos Engineering Results'],
  workload: reference,
  mix: 'stores',
  warmUp: '3s',
  phases: [
    { name: 'baseline', rate: 100, duration: '20s', labels: { part: 'baseline' } },
    { name: 'fault', rate: 100, duration: '20s', overload: true, labels: { part: 'fault' } },
    { name: 'after', rate: 100, duration: '60s', overload: true, labels: { part: 'after' } },
  ],
  objectives: {},
});
