/**
 * How much memory does a server retain after clients leave, and does their simultaneous return affect the
 * other clients?
 */
import { ConfigError } from '../../contract/config-error.js';
import { defineTest } from '../../lib/test.js';
import reference from '../../workloads/reference.js';

/**
 * clients: default of CLIENTS; waves: waves per way to leave; hereS, goneS: seconds per wave in which half of
 * the clients are connected or disconnected; laterS: lengths of the phases after the last wave, seconds
 */
const PROFILES = {
  smoke: { clients: 40, waves: 1, hereS: 2, goneS: 3, laterS: [5] },
  quick: { clients: 1000, waves: 3, hereS: 4, goneS: 13, laterS: [17, 30] },
  full: { clients: 4000, waves: 5, hereS: 15, goneS: 15, laterS: [15, 30] },
};

/** Time in which all clients of a wave connect. */
const OPENING = '1s';

/**
 * The ways to leave, from the most to the least visible to the server.
 *
 * @type {import('../../lib/phases.js').Leaving[]}
 */
const WAYS = ['delete', 'close', 'reset'];

/** @param {import('../../contract/profiles.js').ProfileName} profile */
function phasesOf(profile) {
  if (__ENV.TARGET_COMMAND)
    throw new ConfigError(
      'the test disconnects closes connections; set TARGET_URL instead of TARGET_COMMAND',
    );
  const { clients, waves, hereS, goneS, laterS } = PROFILES[profile];
  const all = Number(__ENV.CLIENTS || clients);
  const stay = Math.ceil(all / 2);
  /**
   * @param {string} name
   * @param {number} lengthS
   * @param {number} streams
   * @param {string} part
   * @param {object} [labels]
   */
  const phase = (name, lengthS, streams, part, labels) => ({
    ...{ name, rate: 20, duration: `${lengthS}s`, streams },
    labels: { part, clients: streams, ...labels },
  });
  /** @param {import('../../lib/phases.js').Leaving} leaving @param {number} wave */
  const waveOf = (leaving, wave) => [
    { ...phase(`${leaving}-${wave}-here`, hereS, all, 'here', { leaving, wave }), opening: OPENING, leaving },
    phase(`${leaving}-${wave}-gone`, goneS, stay, 'gone', { leaving, wave }),
  ];
  const numbers = Array.from({ length: waves }, (_, index) => index + 1);
  return [
    phase('before', hereS, 0, 'before'),
    { ...phase('half', hereS, stay, 'half'), pause: `${hereS}s` },
    // Start with an extra wave, because the heap grows with the first clients even if they do not leave.
    ...(waves > 1 ? waveOf('delete', 0) : []),
    ...WAYS.flatMap((leaving) => numbers.flatMap((wave) => waveOf(leaving, wave))),
    ...laterS.map((lengthS, index) => phase(`later-${index + 1}`, lengthS, stay, 'later')),
    { ...phase('back', hereS, all, 'back'), opening: OPENING },
    phase('after', hereS, 0, 'after'),
  ];
}

export const { options, setup, iterate, teardown } = defineTest({
  name: 'disconnects',
  title: '20 calls/s while half of the clients leave and return within a second',
  group: 'protocol and access',
  about:
    'half of `CLIENTS` leave repeatedly (close their sessions, close or reset their connections) and return within a second: memory that the server retains, duration of the return, effect on the other clients',
  judgedBy: 'failures < 1%',
  servers: 'any',
  workload: reference,
  mix: 'get_user',
  phasesOf,
  asWritten: true,
  objectives: { each: { failure_rate: 0.01 } },
});
