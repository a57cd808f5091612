/** How does replacing the server affect its clients? This script is the load. trials.ts replaces the server. */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

/** Seconds of load before, during and after the replacement. */
const PROFILES = {
  smoke: { beforeS: 5, replaceS: 8, afterS: 14 },
  quick: { beforeS: 20, replaceS: 15, afterS: 30 },
  full: { beforeS: 60, replaceS: 60, afterS: 120 },
};

const calls = { rate: 50, streams: 20 };
const objectives = { replaced: { failure_rate: 0.01 }, after: { failure_rate: 0.01 } };

/**
 * @param {import('../../contract/profiles.js').ProfileName} profile
 * @returns {import('../../lib/phases.js').Phase[]}
 */
function phasesOf(profile) {
  const { beforeS, replaceS, afterS } = PROFILES[profile];
  /** @param {string} name @param {number} lengthS @param {string} part */
  const phase = (name, lengthS, part) => ({ ...calls, name, duration: `${lengthS}s`, labels: { part } });
  return [
    { ...phase('before', beforeS, 'baseline'), pause: '2s', returning: true },
    { ...phase('replaced', replaceS, 'fault'), overload: true },
    { ...phase('after', afterS, 'after'), overload: true },
  ];
}

export const { options, setup, iterate, teardown } = defineTest({
  name: 'rolling-restart',
  title: '50 calls/s and 20 streams while the server is replaced',
  group: 'around the server',
  about:
    'replaces the server under load: `RESTART_COMMAND` runs a rollout or a script, or `SERVER_COMMAND` starts a second server that takes over behind HAProxy. Reports failed calls, lost sessions and streams, and the recovery time',
  judgedBy: 'failures < 1% during and after the replacement; back to normal within 5 s',
  servers: 'any',
  workload: reference,
  mix: 'get_user',
  phasesOf,
  asWritten: true,
  objectives: { each: { failure_rate: 0.01 }, ...objectives },
  anyServer: objectives,
});
