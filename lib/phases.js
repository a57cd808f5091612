/**
 * A shape is data: the load over time as named phases, one k6 scenario each.
 */
import { ConfigError } from '../contract/config-error.js';
import { k6Duration, parseDuration } from '../contract/duration.js';
import { longEnough, MAX_GROWTH } from './phase-lengths.js';

/**
 * One phase as a scenario file writes it, in the figures of PROFILE=full.
 * Exactly one of `rate` (open: arrivals a second, independent of the server) and `vus` (closed) is set.
 *
 * @typedef {object} Phase
 * @property {string} name
 * @property {string} duration k6 duration; for a phase with `iterations` the longest it may take
 * @property {number} [rate] arrivals a second
 * @property {number} [vus] concurrent virtual users
 * @property {number} [iterations] calls to make with `vus`, then the phase ends
 * @property {number} [users] most concurrent users of an arrival-rate phase
 * @property {true} [overload] meant to be more than the server takes: load not delivered is no fault of the run
 * @property {string} [operation] calls this one of the workload's alone, instead of the mix
 * @property {string} [mix] calls this mix, a part of the test's
 * @property {string} [pause] k6 duration: rest before it begins
 * @property {true} [leadIn] its users make a call each that is not measured, wait, and begin together
 * @property {true} [once] not repeated where the test is
 * @property {number} [streams] held while it lasts: those of the phase before, and more, which are opened in the pause before it
 * @property {string} [opening] k6 duration: they are opened in the beginning of the phase instead, within this time
 * @property {Leaving} [leaving] how the clients of these streams leave; by default they end their sessions
 * @property {true} [returning] a client whose stream ends opens another a second later
 * @property {string} [asking] k6 duration: when those that left ask whether their sessions are still known; by default when others come, or at the end
 * @property {Labels} [labels] what varies between the phases of a table, for example {items: 10}
 *
 * @typedef {object} Step a phase of a sequence: one user makes its calls, one after the other
 * @property {string} name
 * @property {string} operation
 * @property {number} iterations calls that are measured
 * @property {number} [warmUps] calls before them that are not
 * @property {false} [measured] false: it only prepares the next one; then no profile makes fewer calls of it
 * @property {string} [pause]
 * @property {number} [quick] calls in every profile but full, for those that take seconds each; then they are not repeated
 * @property {string} [takes] k6 duration: what a call of the reference target takes, about, where that is not milliseconds
 * @property {true} [once] not repeated where the test is
 * @property {Labels} [labels]
 *
 * @typedef {'delete' | 'close' | 'reset'} Leaving a client ends its session, or only closes its connections, or resets them (RST)
 *
 * @typedef {object} Opening of a phase's streams; seconds after the first phase's start
 * @property {number} streams
 * @property {number} vus that open them, evenly over a time
 * @property {number} from_s
 * @property {number} over_s
 * @property {number} until_s when their clients leave
 * @property {Leaving} [leaving]
 * @property {true} [returning]
 * @property {number} ask_s when those that only left ask whether their sessions are still known
 *
 * @typedef {Record<string, any>} Labels numbers and strings, by name
 *
 * @typedef {object} PlannedPhase
 * @property {string} name
 * @property {boolean} measured false: a warm-up, whose requests enter no figure
 * @property {number} start_s seconds after the first phase's start; of a step by estimate
 * @property {number} duration_s of a step by estimate, with the rest before it
 * @property {number | null} offered_rps
 * @property {number | null} vus
 * @property {number | null} iterations
 * @property {number} max_vus
 * @property {boolean} overload
 * @property {string} [operation]
 * @property {string} [mix]
 * @property {number[]} [weights] of 100, of the operations that the test calls: what the phase's mix comes to
 * @property {true} [lead_in] its users come a second before its start
 * @property {true} [hands_over] its VUs are the next phase's, each with an open session
 * @property {number} [warm_ups] of a step: calls before the measured ones
 * @property {number} [pause_s] of a step: rest before it
 * @property {Opening} [opens]
 * @property {Labels} [labels]
 */

/** The warm-up's name; its scenario is the only one that is not measured. */
export const WARM_UP = 'warm-up';

/**
 * An arrival-rate phase can hold its rate up to this latency before it runs out of users (Little's law): also while a
 * server stands still for as long, or those who had to wait would not be in the percentiles.
 */
const LATENCY_HEADROOM_S = 3;
/** Fewer are too few for any phase. */
export const MIN_VUS = 20;
/** Of a phase, as k6 has it. */
const LEAST_S = 1;

/** As `warmUp`: each VU of the first phase makes a call in it, so that no session is opened while that phase is measured. */
const EVERY_VU = 'every VU';
/** What a VU sends first: initialize, notifications/initialized and a call. */
const FIRST_REQUESTS = 3;
/** As `warmUp`: the first phase begins at once. */
const NO_WARM_UP = 'none';

/** How long such a warm-up's last calls have before their VUs go on to the first phase. */
const HAND_OVER_S = 1;

/**
 * @param {Pick<import('../contract/profiles.js').Profile, 'rate'>} profile
 * @param {Pick<import('./config.js').Config, 'RATE_SCALE'>} config
 * @param {boolean} [asWritten] the profile does not change rates
 * @returns {number} on each arrival rate
 */
export function rateFactor(profile, config, asWritten = false) {
  return (asWritten ? 1 : profile.rate) * config.RATE_SCALE;
}

/**
 * Scales a shape to a profile and puts a warm-up, at the first phase's load, in front.
 *
 * @param {Phase[]} shape
 * @param {import('../contract/profiles.js').Profile} profile
 * @param {Pick<import('./config.js').Config, 'DURATION' | 'RATE_SCALE' | 'MAX_VUS'>} config
 * @param {{asWritten?: boolean | undefined, warmUp?: string | undefined, startS?: number}} [how] asWritten: the profile changes neither durations nor rates;
 *   warmUp: its length, instead of the profile's; 'none'; or 'every VU'; startS: what it takes to get one VU ready
 * @returns {PlannedPhase[]}
 * @throws {ConfigError} where DURATION leaves a phase less than a second
 */
export function planPhases(shape, profile, config, { asWritten = false, warmUp, startS = 0 } = {}) {
  const lengths = shape.map((phase) => parseDuration(phase.duration) ?? 0);
  const own = lengths.reduce((sum, length) => sum + length, 0);
  const measuredS = config.DURATION ?? (asWritten ? own : Math.min(own, profile.measuredS ?? own));
  const factor = rateFactor(profile, config, asWritten);
  const least = Math.ceil(own / Math.min(...lengths));
  if (measuredS < least) {
    throw new ConfigError(
      `DURATION is ${measuredS} s, but each phase needs a second or more; valid: ${least}s or longer`,
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
      // A warm-up is for all that follows.
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
    // Half as many requests a second as the phase: to open a connection and a session is more work than a call.
    before.offered_rps = Math.min(before.offered_rps / (2 * FIRST_REQUESTS), 1 / startS);
    before.duration_s = round(Math.max(LEAST_S, before.max_vus / before.offered_rps));
    before.hands_over = true;
    start = before.duration_s + HAND_OVER_S;
  }
  shape.forEach((phase, index) => {
    start += (parseDuration(phase.pause ?? '') ?? 0) + (phase.leadIn ? LEAD_IN_S : 0);
    add(phase, lengthsS[index] ?? 0, true);
  });
  return withStreams(planned, shape);
}

/**
 * @param {PlannedPhase[]} planned
 * @param {Phase[]} shape those of them that are measured
 * @returns {PlannedPhase[]} with the streams that are opened before each. What is opened is held until a phase has fewer
 */
function withStreams(planned, shape) {
  const before = planned.length - shape.length;
  /** @param {number} index of the shape @returns {number} when the phase before it ends */
  const endBefore = (index) => {
    const { start_s = 0, duration_s = 0 } = planned[before + index - 1] ?? {};
    return round(start_s + duration_s);
  };
  return planned.map((phase, position) => {
    const index = position - before;
    const { streams = 0, opening, leaving, returning, asking } = shape[index] ?? {};
    const more = moreStreams(shape, index);
    if (more <= 0) return phase;
    const fewer = shape.findIndex((later, at) => at > index && (later.streams ?? 0) < streams);
    const left = fewer < 0 ? shape.length : fewer;
    const again = shape.findIndex((_, at) => at > left && moreStreams(shape, at) > 0);
    const until_s = endBefore(left);
    const from_s = opening ? phase.start_s : endBefore(index);
    return {
      ...phase,
      opens: {
        streams: more,
        vus: Math.min(more, opening ? RUSHING_VUS : STREAM_VUS),
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

/** @param {Phase[]} shape @param {number} index @returns {number} streams that a phase has in addition to those of the phase before */
const moreStreams = (shape, index) => (shape[index]?.streams ?? 0) - (shape[index - 1]?.streams ?? 0);

/** How long before its phase a user comes that has to get ready (lib/test.js): k6 itself takes some of it. */
const LEAD_IN_S = 1;

/** What a call of a step takes where it does not say: of the reference target, with what is between two calls. */
const CALL_S = 0.005;

/** Below this many calls a step's median is no more than a call. */
const MIN_ITERATIONS = 3;

/**
 * Scales a sequence to a profile. When each of its steps begins is known only after the run.
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
 * @returns {Record<string, import('k6/options').Scenario>} k6's one scenario of a sequence
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
 * @returns {Record<string, import('k6/options').Scenario>} k6's scenarios, one a phase, tagged with it
 */
export function toScenarios(phases, timeoutS) {
  return Object.fromEntries([
    ...phases.map((phase) => {
      const common = {
        exec: 'iterate',
        startTime: k6Duration(phase.start_s - leadInS(phase)),
        // The last requests of a phase get the time to be answered or to time out: none is cut off uncounted. k6 starts VUs of
        // their own for a phase that begins within that time.
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

/** VUs that open a phase's streams: each waits for one handshake at a time. */
const STREAM_VUS = 20;
/** The same where all are to come at once. */
const RUSHING_VUS = 100;
/** For giving their sessions back, seconds. */
const CLOSING_S = 10;

/** @param {string} name of the phase @param {NonNullable<PlannedPhase['opens']>} opens @returns {any} the scenario that holds its streams */
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
 * @returns {any} the part of a k6 scenario that its executor decides
 */
function executor(phase) {
  const lengthS = phase.duration_s + leadInS(phase);
  const duration = k6Duration(lengthS);
  if (phase.offered_rps !== null) {
    return {
      executor: 'constant-arrival-rate',
      // k6 takes whole numbers only: the rate is given per 10 minutes so that 0.5/s or 33.3/s stay what they are.
      rate: Math.max(1, Math.round(phase.offered_rps * 600)),
      timeUnit: '600s',
      // Half an arrival less: at its very end, whether there is one more would be chance. (k6 takes no phase below a second.)
      duration: `${Math.round(Math.max(LEAST_S, lengthS - 0.5 / phase.offered_rps) * 1e6)}us`,
      // All users exist from the start: k6 making users in mid-phase would be a load of its own.
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
