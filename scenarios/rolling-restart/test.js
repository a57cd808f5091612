/** How are clients affected while the server is replaced? This is the load; trials.ts replaces the server. */
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

/** Lengths of the load before the new server starts, during the takeover, and after it, seconds. */
const PROFILES = {
  smoke: { beforeS: 5, replaceS: 8, afterS: 14 },
  quick: { beforeS: 20, replaceS: 15, afterS: 30 },
  full: { beforeS: 60, replaceS: 60, afterS: 120 },
};

const calls = { rate: 50, streams: 20 };

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
  title: '50 calls/s and 20 streams while the server is replaced by another one',
  group: 'around the server',
  about:
    'a second server takes over behind HAProxy, and the first one is ended (`SERVER_COMMAND` starts both): calls that fail, sessions and streams that are lost and come back, seconds until all is as before',
  judgedBy: 'failures < 1%; as before within 5 s',
  servers: 'any',
  workload: reference,
  mix: 'get_user',
  phasesOf,
  asWritten: true,
  objectives: { each: { failure_share: 0.01 } },
});
