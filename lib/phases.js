/**
 * A shape is data: the load over time as named phases. Each phase is one k6 scenario.
 */
import { ConfigError } from '../contract/config-error.js';
import { k6Duration, parseDuration } from '../contract/duration.js';
import { longEnough, MAX_GROWTH } from './phase-lengths.js';

/**
 * One phase as defined in a scenario file, with the values of PROFILE=full. Exactly one of `rate` (open:
 * arrivals a second, independent of the server) and `vus` (closed) is set.
 *
 * @typedef {object} Phase
 * @property {string} name
 * @property {string} duration k6 duration; for a phase with `iterations`: the maximum
 * @property {number} [rate] arrivals a second
 * @property {number} [vus] concurrent virtual users
 * @property {number} [iterations] number of calls that the `vus` make; then the phase ends
 * @property {number} [users] maximum VUs of an arrival-rate phase
 * @property {true} [overload] the load is meant to exceed the server's capacity: undelivered load is not a
 *   fault of the run
 * @property {string} [operation] the only operation of the workload to call, instead of the mix
 * @property {string} [mix] the mix to call, a part of the test's mix
 * @property {string} [pause] k6 duration: pause before the phase
 * @property {true} [leadIn] each VU first makes an unmeasured call and waits; then all begin together
 * @property {true} [once] not repeated, even if the test is
 * @property {number} [streams] streams held open during the phase: those of the previous phase and more,
 *   which are opened in the pause before
 * @property {string} [opening] k6 duration: the streams are opened at the start of the phase instead, within
 *   this time
 * @property {Leaving} [leaving] how the clients of these streams leave; by default they end their sessions
 * @property {true} [returning] a client whose stream ends opens another one a second later
 * @property {string} [asking] k6 duration after which clients that left ask whether their sessions are still
 *   known; by default they ask when other clients come, or at the end
 * @property {Labels} [labels] what varies between the phases of a table, for example {items: 10}
 *
 * @typedef {object} Step a phase of a sequence: one VU makes its calls, one after the other
 * @property {string} name
 * @property {string} operation
 * @property {number} iterations calls that are measured
 * @property {number} [warmUps] unmeasured calls before them
 * @property {false} [measured] false: it only prepares the next step, and no profile reduces its calls
 * @property {string} [pause]
 * @property {number} [quick] calls in all profiles except full, for calls that take seconds; they are not
 *   repeated then
 * @property {string} [takes] k6 duration: approximate duration of a call of the reference target, if it is
 *   not milliseconds
 * @property {true} [once] not repeated, even if the test is
 * @property {Labels} [labels]
 *
 * @typedef {'delete' | 'close' | 'reset'} Leaving a client ends its session, only closes its connections, or
 *   resets them (RST)
 *
 * @typedef {object} Opening how a phase's streams are opened; times in seconds after the start of the first
 *   phase
 * @property {number} streams
 * @property {number} vus VUs that open the streams, evenly over `over_s`
 * @property {number} from_s
 * @property {number} over_s
 * @property {number} until_s when the clients leave
 * @property {Leaving} [leaving]
 * @property {true} [returning]
 * @property {number} ask_s when clients that left without ending their sessions ask whether these are still
 *   known
 *
 * @typedef {Record<string, any>} Labels numbers and strings by name
 *
 * @typedef {object} PlannedPhase
 * @property {string} name
 * @property {boolean} measured false: a warm-up, whose requests are not in the results
 * @property {number} start_s seconds after the start of the first phase; an estimate for a step
 * @property {number} duration_s an estimate for a step, including the pause before it
 * @property {number | null} offered_rps
 * @property {number | null} vus
 * @property {number | null} iterations
 * @property {number} max_vus
 * @property {boolean} overload
 * @property {string} [operation]
 * @property {string} [mix]
 * @property {number[]} [weights] percentages of the test's operations that result from the phase's mix
 * @property {true} [lead_in] its VUs start a second early
 * @property {true} [hands_over] the next phase takes over its VUs, each with an open session
 * @property {number} [warm_ups] for a step: unmeasured calls before the measured ones
 * @property {number} [pause_s] for a step: pause before it
 * @property {number} [streams] streams that clients hold during the phase
 * @property {Opening} [opens]
 * @property {Labels} [labels]
 */

/** Name of the warm-up, the only scenario that is not measured. */
export const WARM_UP = 'warm-up';

/**
 * An arrival-rate phase has enough VUs to keep its rate up to this latency (Little's law). Requests keep
 * arriving while the server stalls for this long. Otherwise they would be missing from the percentiles.
 */
const LATENCY_HEADROOM_S = 3;
/** Minimum VUs of an arrival-rate phase. */
export const MIN_VUS = 20;
/** Shortest phase that k6 accepts, seconds. */
const MIN_S = 1;

/**
 * `warmUp` value: each VU of the first phase makes a call in it, so that all sessions are open before it is
 * measured.
 */
const EVERY_VU = 'every VU';
/** The first requests of a VU: initialize, notifications/initialized and a call. */
const FIRST_REQUESTS = 3;
/** `warmUp` value: the first phase begins immediately. */
const NO_WARM_UP = 'none';

/** Time for the last calls of an EVERY_VU warm-up, before the VUs go on to the first phase. */
const HAND_OVER_S = 1;

/**
 * @param {Pick<import('../contract/profiles.js').Profile, 'rate'>} profile
 * @param {Pick<import('./config.js').Config, 'RATE_SCALE'>} config
 * @param {boolean} [asWritten] the profile does not change rates
 * @returns {number} the multiplier of each arrival rate
 */
export function rateFactor(profile, config, asWritten = false) {
  return (asWritten ? 1 : profile.rate) * config.RATE_SCALE;
}

/**
 * Scales a shape to a profile and adds a warm-up at the load of the first phase.
 *
 * @param {Phase[]} shape
 * @param {import('../contract/profiles.js').Profile} profile
 * @param {Pick<import('./config.js').Config, 'DURATION' | 'RATE_SCALE' | 'MAX_VUS'>} config
 * @param {{asWritten?: boolean | undefined, warmUp?: string | undefined, startS?: number}} [how] asWritten:
 *   the profile changes neither durations nor rates; warmUp: its length instead of the profile's, 'none' or
 *   'every VU'; startS: time to prepare one VU, seconds
 * @returns {PlannedPhase[]}
 * @throws {ConfigError} if DURATION leaves a phase less than a second
 */
export function planPhases(shape, profile, config, { asWritten = false, warmUp, startS = 0 } = {}) {
  const lengths = shape.map((phase) => parseDuration(phase.duration) ?? 0);
  const own = lengths.reduce((sum, length) => sum + length, 0);
  const measuredS = config.DURATION ?? (asWritten ? own : Math.min(own, profile.measuredS ?? own));
  const factor = rateFactor(profile, config, asWritten);
  const minS = Math.ceil(own / Math.min(...lengths));
  if (measuredS < minS) {
    throw new ConfigError(
      `DURATION is ${measuredS} s, but each phase needs at least one second; valid: ${minS}s or longer`,
    );
  }

  const inProportion = lengths.map((length) => (length * measuredS) / own);
  const lengthsS = asWritten
    ? inProportion
    : longEnough(
        shape,
        inProportion,
        factor,
        config.DURATION ?? Math.max(profile.measuredS ?? own, MAX_GROWTH * measuredS),
      );

  /** @type {PlannedPhase[]} */
  const planned = [];
  let start = 0;
  /** @param {Phase} phase @param {number} duration @param {boolean} measured */
  const add = (phase, duration, measured) => {
    const rate = phase.rate === undefined ? null : phase.rate * factor;
    const users = phase.users ?? Math.max(MIN_VUS, Math.ceil((rate ?? 0) * LATENCY_HEADROOM_S));
    planned.push({
      name: measured ? phase.name : WARM_UP,
      measured,
      start_s: round(start),
      duration_s: round(duration),
      offered_rps: rate,
      vus: phase.vus ?? null,
      iterations: (measured && phase.iterations) || null,
      max_vus: phase.vus ?? Math.min(users, config.MAX_VUS),
      overload: phase.overload ?? false,
      // The warm-up calls the whole mix.
      ...(measured && phase.operation && { operation: phase.operation }),
      ...(measured && phase.mix && { mix: phase.mix }),
      ...(measured && phase.leadIn && { lead_in: phase.leadIn }),
      ...(measured && phase.labels && { labels: phase.labels }),
    });
    start += duration;
  };

  const [first] = shape;
  if (first && warmUp !== NO_WARM_UP) add(first, parseDuration(warmUp ?? '') ?? profile.warmUpS, false);
  const [before] = planned;
  if (before) {
    before.duration_s = round(Math.max(before.duration_s, startS * before.max_vus));
    start = before.duration_s;
  }
  if (before?.offered_rps && warmUp === EVERY_VU) {
    // Half the phase's request rate: opening a connection and a session is more work than a call.
    before.offered_rps = Math.min(before.offered_rps / (2 * FIRST_REQUESTS), 1 / startS);
    before.duration_s = round(Math.max(MIN_S, before.max_vus / before.offered_rps));
    before.hands_over = true;
    start = before.duration_s + HAND_OVER_S;
  }
  shape.forEach((phase, index) => {
    start += (parseDuration(phase.pause ?? '') ?? 0) + (phase.leadIn ? LEAD_IN_S : 0);
    add(phase, lengthsS[index] ?? 0, true);
  });
  return withStreams(planned, shape, config.MAX_VUS);
}

/**
 * @param {PlannedPhase[]} planned
 * @param {Phase[]} shape the measured phases
 * @param {number} maxVus
 * @returns {PlannedPhase[]} with the streams that are opened before each. They are held until a phase has
 *   fewer
 */
function withStreams(planned, shape, maxVus) {
  const before = planned.length - shape.length;
  /** @param {number} index in the shape @returns {number} when the previous phase ends */
  const endBefore = (index) => {
    const { start_s = 0, duration_s = 0 } = planned[before + index - 1] ?? {};
    return round(start_s + duration_s);
  };
  return planned.map((phase, position) => {
    const index = position - before;
    const { streams = 0, opening, leaving, returning, asking } = shape[index] ?? {};
    const more = moreStreams(shape, index);
    const held = streams > 0 ? { ...phase, streams } : phase;
    if (more <= 0) return held;
    const fewer = shape.findIndex((later, at) => at > index && (later.streams ?? 0) < streams);
    const left = fewer < 0 ? shape.length : fewer;
    const again = shape.findIndex((_, at) => at > left && moreStreams(shape, at) > 0);
    const until_s = endBefore(left);
    const from_s = opening ? phase.start_s : endBefore(index);
    return {
      ...held,
      opens: {
        streams: more,
        vus: Math.min(more, opening ? RUSHING_VUS : STREAM_VUS, maxVus),
        from_s,
        over_s: parseDuration(opening ?? '') ?? round(phase.start_s - from_s),
        until_s,
        ask_s: asking ? until_s + (parseDuration(asking) ?? 0) : endBefore(again < 0 ? shape.length : again),
        ...(leaving && { leaving }),
        ...(returning && { returning }),
      },
    };
  });
}

/**
 * @param {Phase[]} shape
 * @param {number} index
 * @returns {number} streams that a phase has in addition to the previous one's
 */
const moreStreams = (shape, index) => (shape[index]?.streams ?? 0) - (shape[index - 1]?.streams ?? 0);

/** How long before a phase with `leadIn` its VUs start (lib/test.js). k6 itself uses part of it. */
const LEAD_IN_S = 1;

/** Default duration of a step's call on the reference target, including the time between two calls. */
const CALL_S = 0.005;

/** With fewer calls the median of a step is a single call. */
const MIN_ITERATIONS = 3;

/**
 * Scales a sequence to a profile. The actual start of each step is known only after the run.
 *
 * @param {Step[]} steps
 * @param {import('../contract/profiles.js').Profile} profile
 * @returns {PlannedPhase[]}
 */
export function planSequence(steps, profile) {
  const { iterations: factor, slowCalls } = profile;
  /** @param {Step} step */
  const countOf = ({ iterations, quick = iterations, measured }) => {
    if (measured === false) return iterations;
    const most = slowCalls ? iterations : quick;
    return Math.min(most, Math.max(MIN_ITERATIONS, Math.round(most * factor)));
  };
  let start_s = 0;
  return steps.map((step) => {
    const { name, operation, warmUps = 0, measured = true, pause = '', takes = '', labels } = step;
    const iterations = countOf(step);
    const warm_ups = Math.round(warmUps * factor);
    const pause_s = round((parseDuration(pause) ?? 0) * factor);
    const duration_s = round(pause_s + (iterations + warm_ups) * (parseDuration(takes) ?? CALL_S));
    start_s = round(start_s + duration_s);
    return {
      name,
      measured,
      start_s: round(start_s - duration_s),
      duration_s,
      offered_rps: null,
      vus: 1,
      iterations,
      max_vus: 1,
      overload: false,
      operation,
      warm_ups,
      pause_s,
      ...(labels && { labels }),
    };
  });
}

/**
 * @param {string} longest k6 duration
 * @param {number} timeoutS longest wait for one answer
 * @returns {Record<string, import('k6/options').Scenario>} the single k6 scenario of a sequence
 */
export function toSequenceScenario(longest, timeoutS) {
  return {
    sequence: {
      executor: 'per-vu-iterations',
      exec: 'iterate',
      vus: 1,
      iterations: 1,
      maxDuration: longest,
      gracefulStop: k6Duration(timeoutS + 1),
    },
  };
}

/**
 * @param {PlannedPhase[]} phases
 * @param {number} timeoutS longest wait for one answer
 * @returns {Record<string, import('k6/options').Scenario>} one k6 scenario per phase, tagged with its name
 */
export function toScenarios(phases, timeoutS) {
  return Object.fromEntries([
    ...phases.map((phase) => {
      const common = {
        exec: 'iterate',
        startTime: k6Duration(phase.start_s - leadInS(phase)),
        // Wait until the last requests of a phase are answered or time out, so that all of them are counted.
        // A phase that begins during this time gets its own VUs.
        gracefulStop: phase.hands_over ? k6Duration(HAND_OVER_S / 2) : k6Duration(timeoutS + 1),
        tags: { phase: phase.name },
        env: { PHASE: phase.name },
      };
      return [phase.name, { ...common, ...executor(phase) }];
    }),
    ...phases.flatMap((phase) =>
      phase.opens ? [[`${phase.name}-streams`, holding(phase.name, phase.opens)]] : [],
    ),
  ]);
}

/** Number of VUs that open a phase's streams. Each performs one handshake at a time. */
const STREAM_VUS = 20;
/** Number of VUs that open the streams if all clients come simultaneously. */
const RUSHING_VUS = 100;
/** Time to end the sessions, seconds. */
const CLOSING_S = 10;

/**
 * @param {string} name the phase's name
 * @param {NonNullable<PlannedPhase['opens']>} opens
 * @returns {any} the scenario that holds its streams
 */
const holding = (name, { vus, from_s, ask_s }) => ({
  executor: 'per-vu-iterations',
  exec: 'iterate',
  vus,
  iterations: 1,
  startTime: k6Duration(from_s),
  maxDuration: k6Duration(ask_s - from_s + CLOSING_S),
  gracefulStop: '1s',
  tags: { phase: WARM_UP },
  env: { STREAMS_OF: name },
});

/** @param {PlannedPhase} phase */
const leadInS = ({ lead_in }) => (lead_in ? LEAD_IN_S : 0);

/**
 * @param {PlannedPhase} phase
 * @returns {any} the executor-specific part of a k6 scenario
 */
function executor(phase) {
  const lengthS = phase.duration_s + leadInS(phase);
  const duration = k6Duration(lengthS);
  if (phase.offered_rps !== null) {
    return {
      executor: 'constant-arrival-rate',
      // k6 accepts whole numbers only: a rate per 10 minutes keeps 0.5/s or 33.3/s exact.
      rate: Math.max(1, Math.round(phase.offered_rps * 600)),
      timeUnit: '600s',
      // Half an arrival less, because an arrival at the very end would be left to chance.
      duration: `${Math.round(Math.max(MIN_S, lengthS - 0.5 / phase.offered_rps) * 1e6)}us`,
      // Pre-allocate all VUs: starting VUs in mid-phase would itself cost CPU.
      preAllocatedVUs: phase.max_vus,
      maxVUs: phase.max_vus,
    };
  }
  if (phase.iterations !== null) {
    return {
      executor: 'shared-iterations',
      vus: phase.vus,
      iterations: phase.iterations,
      maxDuration: duration,
    };
  }
  return { executor: 'constant-vus', vus: phase.vus, duration };
}

/** @param {number} seconds */
function round(seconds) {
  return Math.round(seconds * 1000) / 1000;
}
