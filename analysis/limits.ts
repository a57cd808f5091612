/**
 * Every limit of a verdict or a finding. docs/limits.md is written from these comments (`make docs`): the first sentence says what the
 * limit is for, the rest why it has this value. Shares are 0 to 1; times are in the unit at the end of the name.
 */
import { MAX_GENERATOR_CPU, MIN_DELIVERED } from '../contract/limits.js';

/** Objectives */
export const OBJECTIVES = {
  /** Chance that a server which meets an objective shows this many slow or failed calls: less contradicts the objective. */
  maxChance: 1e-4,
  /** Share of the failures that one operation must have to be named as their cause. */
  minOwnFailures: 0.5,
};

/** Trust */
export const TRUST = {
  /** CPU of k6, as a share of what it may use. A busier generator measures itself. */
  maxGeneratorCpu: MAX_GENERATOR_CPU,
  /** Time that answers wait for k6, as a share of the mean latency. An overloaded server delays k6 as well, but takes far longer itself. */
  maxDelayShare: 0.25,
  /** The same if the load fills the machine by design (overload, VUs without a pause). Above half, k6 measures mostly itself. */
  maxDelayShareIfFull: 0.5,
  /** A shorter wait is ignored: a request over loopback takes as much. */
  minDelayMs: 1.5,
  /** The wait that counts if no call was answered: it cannot be compared with a latency. */
  minDelayAloneMs: 100,
  /** CPU of unrelated processes, as a share of the machine. On two cores that is two fifths of one. */
  maxOtherCpu: 0.2,
  /** Share of the offered load that must be made. */
  minDelivered: MIN_DELIVERED,
  /** Share of the VUs that must be busy before a slow server explains missing load. */
  minBusyVus: 0.5,
  /** Share of calls without an answer that explains missing load: each keeps its VU for the whole timeout. */
  minUnanswered: 0.01,
  /** A server is slow if it takes this many times as long as under a load that was made in full. */
  slowFactor: 2,
  /** If there is nothing to compare with: VUs for shorter calls than this are too few for any server. */
  minHeadroomS: 0.1,
  /** Call length for which a test has VUs, if MAX_VUS allows it. */
  usualHeadroomS: 3,
  /** Share of a phase in which writes to Prometheus failed. */
  maxLostWrites: 0.1,
  /** Shorter phases are judged together: CPU times are known to a hundredth of a second. */
  minSpanS: 5,
  /** An operation that should have been called this often and never was is missing, not rare. */
  minMissingCalls: 20,
};

/** Normal range */
export const NORMAL = {
  /** Calls that a p99 needs: one of them is above it. */
  minP99Calls: 100,
  /** Multiple of the baseline's p99 that is still normal, if its objective does not allow more. */
  p99Factor: 1.3,
  /** Failure rate above the baseline's that is still normal, if its objective does not allow more. */
  failureMargin: 0.01,
  /** A baseline that fails more often shows nothing normal, unless its objective allows it. */
  maxBaselineFailures: 0.05,
};

/** Episodes */
export const EPISODES = {
  /** Logarithm of the likelihood ratio at which an episode begins: 10^7, as an hour of 2,000 calls/s has 7 x 10^6 of them. */
  minEvidence: 16,
  /** The same for its end: a ratio of 3,000, which takes 200 normal calls. */
  minEvidenceOfEnd: 8,
  /** The share of bad calls that is tested for, as a multiple of the normal share. */
  badFactor: 5,
  /** The same, at least this much above the normal share. */
  minMoreBad: 0.02,
  /** The same, at most. */
  maxBad: 0.9,
  /** A second with less of its due calls is bad: a server that is no longer called has no bad p99. */
  minMade: 0.5,
  /** Normal share of slow calls, by the definition of p99. */
  slowShare: 0.01,
  /** Parts of 100 calls that the first phase needs to show what is normal; with fewer it is taken as a whole. */
  minParts: 5,
  /** Length of a stall. */
  minStallS: 0.3,
  /** Share of the calls that begin in a stall and wait for its end. */
  minStalled: 0.6,
  /** Stalls that show a period. */
  minPeriodic: 3,
  /** Difference of their intervals from the median. */
  maxPeriodScatter: 0.2,
  /** Beginning of a phase that is left out: connections and sessions are opened. */
  settlingS: 2,
  /** A timer of the generator this late shows that the machine stood still, not the server. */
  maxLatenessMs: 30,
};

/** Recovery */
export const RECOVERY = {
  /** An episode that begins this soon after an overload, or after its last episode, is still caused by it. */
  sameOverloadS: 10,
  /** Time at the end that must have been normal. */
  minNormalS: 3,
  /** Normal calls after which confidence is high: as much evidence as an episode takes to begin. */
  manyCalls: 400,
};

/** Onset */
export const ONSET = {
  /** Calls of a phase after which confidence is high: with fewer, chance moves a p99. */
  manyCalls: 1000,
};

/** Bottleneck */
export const BOTTLENECK = {
  /** Points of a signal that make a reading: one is chance. */
  minPoints: 2,
  /** Share of the later points of a phase that must be outside the normal range too: a breakage lasts. */
  lasting: 0.7,
  /** Share of the baseline's moments that are normal: the largest of ten is, too. */
  usualMoments: 0.9,
  /** Share of the failures that must be refusals (429) for failures to be told before latency. */
  refused: 0.5,
  /** Share of the added time, or of the failures, that a cause must explain. */
  minPart: 0.2,
  /** CPU of the largest consumer, as a share of the machine. */
  minConsumed: 0.2,
  /** Share of the used CPU that one consumer must have; with less it shares the machine with others. */
  minConsumedOfUsed: 0.5,
  /** CPU at which a machine is full: averaged over seconds, it has moments without any CPU left. */
  fullCpu: 0.9,
  /** Utilization at which a resource is nearly full, averaged over a phase. Said with less confidence. */
  nearlyFull: 0.85,
  /** Share of the failures that must be lost connections or timeouts for "the target was away". */
  mostlyAway: 0.9,
  /** A signal looks back this long: a limit reached within it was not reached late. */
  lateS: 8,
  /** Rank correlation with p99 below which confidence drops: medium in Cohen, Statistical Power Analysis, 2nd ed., 1988, 3.2. */
  minCorrelation: 0.3,
  /** Rank correlation that is worth a word: small in Cohen. */
  minCorrelationSaid: 0.1,
  /** Weight by which a second resource must be behind for full confidence. */
  minLead: 0.5,
  /** Factor on the limits of what is inferred from connections: it underestimates the baseline. */
  inferredFactor: 2.5,
  /** Growth over the baseline of a limit that was reached there already. */
  minGrowth: 1.1,
  /** Share of a thread's time that one operation must hold to block it. */
  minHeld: 0.5,
  /** More than this ran on several threads. */
  maxHeld: 1.2,
  /** Share of all operations' time that the blocking one has. */
  minBlockingShare: 0.6,
  /** Multiple of the other operations' service time. */
  minBlockingFactor: 5,
  /** Share of its own delay by which the others must be delayed. */
  minDelayedTogether: 0.3,
  /** Connections that are called a pool: one may be all that is needed. */
  minPool: 2,
  /** Difference between connections and calls served at once: a call takes longer than its statement. */
  poolMargin: 0.2,
  /** Width of the interval of the calls served at once, relative to their number. */
  maxPoolWidth: 1,
  /** Utilization in the baseline below which it predicts nothing: most of it is not caused by calls. */
  minBaselineUtilization: 0.02,
};

/** Capacity */
export const CAPACITY = {
  /** Calls in flight at the beginning and the end of a wait. */
  minInFlight: 3,
  /** The same, as a share of the most that were ever in flight. */
  minOfPeak: 0.5,
  /** Seconds that a rate needs. */
  minS: 3,
  /** Time a call stays in the system, as a multiple of its service time: calls wait. */
  minStay: 2,
  /** Share of good answers; with fewer it is the rate of failing. */
  minGood: 0.5,
  /** The same for the number of calls served at once. */
  minGoodOfServed: 0.9,
  /** Answers that a median of the baseline needs. */
  minSamples: 10,
  /** Share of the answers whose operation has such a median. */
  minKnown: 0.9,
  /** Calls shorter than this do not show how many are served at once: client and network take about a millisecond. */
  minServiceMs: 5,
  /** Fewer calls at once than this, by the interval, are one. */
  maxOfOne: 2,
  /** One call at a time needs an interval that begins above this. */
  minOfOne: 0.5,
  /** Width of the rate's interval, relative to the rate, for high confidence. */
  maxWidth: 0.5,
};

/** Connections */
export const CONNECTIONS = {
  /** Share of p95 that connecting must take. */
  minShare: 1 / 3,
  /** A shorter time delays nobody. */
  minMs: 1,
  /** Share of the answers after which a server closes the connection. */
  minClosed: 0.9,
  /** Requests of a phase. */
  minRequests: 20,
};

/** Failures */
export const FAILURES = {
  /** Failures that a shape needs. */
  minFailures: 5,
  /** Chance, by Fisher's exact test, below which a shape is no coincidence. */
  maxChance: 1e-4,
  /** Share of the failures that the shape of one kind must explain. */
  minExplained: 0.02,
  /** Share of the failures that shapes must explain for "inconclusive" to be left out. */
  explainsAll: 0.9,
  /** Share of the failures that the headline's shape must explain. */
  mostlyExplained: 0.5,
  /** `operation`: share of the failures that other operations may have. */
  maxElsewhere: 0.02,
  /** `operation`: share of the requests that the others must have; they may be a few pings. */
  minOthers: 0.02,
  /** `since`, `window`, `clients`: share of the failures that it must contain. */
  minCovered: 0.95,
  /** `since`, `window`: share of the calls in it that failed. */
  minFailing: 0.9,
  /** `since`, `window`: calls that went well before it. */
  minBefore: 5,
  /** `window`: its length in tenths of a second, so that its edges do not matter. */
  minTenths: 5,
  /** `overlap`: how many times less likely by chance than the next operation's calls. */
  minAhead: 1e3,
  /** `overlap`: share of failures without the other call in flight. */
  maxWithout: 0.02,
  /** `overlap`: time between the first overlap and the first failure. */
  togetherS: 1.5,
  /** `overlap`: calls that overlap and were still answered. */
  maxAnswered: 2,
  /** `clients`: calls of such a client, on average. */
  minClientCalls: 5,
  /** `clients`: clients without a failure. */
  minWellClients: 3,
  /** `replicas`: sessions that were opened. */
  minSessions: 10,
  /** `replicas`: share of them that is refused at first use. Two replicas refuse half; a server whose sessions expire refuses none. */
  minRefused: 0.2,
  /** `replicas`: share refused at opening. */
  maxRefusedAtOpening: 0.02,
};

/** Processes */
export const PROCESSES = {
  /** `silence`, `lost`, `late`: calls without an answer. */
  minUnanswered: 5,
  /** `lost`: share of answers that come late instead. A server that loses answers gives none; one that is slow gives most of them late. */
  maxLateOfLost: 0.02,
  /** `late`: share of the calls without an answer in time that are answered later. The last ones of a run would be after its end. */
  minLate: 0.2,
  /** One call at a time: calls that waited for the answer to another. */
  minBehind: 20,
  /** One call at a time: calls of an operation that were alone. */
  minAlone: 5,
  /** One call at a time: share of the calls that were answered before an earlier one. */
  maxOvertook: 0.02,
  /** One call at a time: time from the answer before, relative to a call alone. With calls of equal length served at once it is 0.5 at most. */
  minGap: 0.8,
  /** One call at a time: factor between the times of two operations. Of calls at once the shorter ones overtake. */
  minUnequal: 2,
  /** Share of a call that is the start of its process. */
  minStartShare: 0.1,
};

/** Shares and modes */
export const SPREAD = {
  /** `share`: failures. */
  minFailures: 10,
  /** Share of the calls: more than half is not an exception. */
  maxShare: 0.5,
  /** Factor between two loads that are different. */
  loadFactor: 2,
  /** `share`: failures to be expected at one of them. */
  minExpected: 5,
  /** `share`: factor between the shares at two loads that do not matter. */
  maxRatio: 2,
  /** `share`: equal parts of the run that must not differ: failures that come together have another reason. */
  parts: 10,
  /** Chance below which parts, or loads, differ. */
  maxChance: 0.01,
  /** `modes`: width of the slow answers' times, 5th to 95th percentile: timeouts are exact, queues are not. */
  maxModeWidth: 0.1,
  /** `modes`: multiple of the fast answers' p95. */
  minModeFactor: 5,
  /** `modes`: time of the slow answers. */
  minModeMs: 300,
  /** `modes`: slow answers. */
  minModeAnswers: 10,
};

/** Slow operation */
export const SLOW_OPERATION = {
  /** Multiple of the other operations' median. */
  factor: 10,
  /** Difference from it: below, the client's own time counts. */
  minMs: 20,
  /** Answers that a percentile needs on either side. */
  minAnswers: 40,
  /** Share of the calls above the mix's p99 that are the operation's. */
  minOfSlow: 0.8,
  /** Multiple of its own p95 in the baseline above which a call is slow. */
  slowFactor: 1.3,
  /** Share of slow calls. */
  slowShare: 0.1,
  /** Multiple of any other operation's share. */
  minAhead: 2,
  /** Chance that this many calls are slow. */
  maxChance: 1e-4,
};

/** Held streams */
export const STREAMS = {
  /** Streams that ended by themselves before a time that they have in common is looked for. */
  minEnded: 5,
  /** Share of the ended streams whose time is within the spread. */
  minAlike: 0.8,
  /** Spread of such a time, as a share of it: a limit is exact, give or take the moment at which somebody looks. */
  maxSpread: 0.1,
  /** The same in milliseconds: proxies look once a second. */
  maxSpreadMs: 1100,
  /** Time from which on a stream that ended was cut. One that was open for less was ended as soon as it had begun. */
  minCutMs: 1000,
  /** Share of the calls without an answer from which on calls are not served any more. */
  minUnanswered: 0.5,
  /** Multiple of the p95 without streams from which on calls are slower. */
  slowFactor: 1.5,
  /** Difference from it: below, the client's own time counts. */
  minSlowMs: 5,
  /** Half of the 95 % interval of what one costs, as a share of it: a heap that fills grows without any cost, and unevenly. */
  maxCostError: 0.5,
};

/** Long calls */
export const LONG_CALLS = {
  /** Failed calls that a common time needs. */
  minFailed: 2,
  /** Time of a call, as a share of the one that was asked for: a shorter call does not do what its argument says. */
  minLength: 0.8,
  /** The same: a longer call waited for others. */
  maxLength: 1.5,
  /** Time of the first progress report, as a share of the call, from which on reports arrive with the answer. */
  minHeldBack: 0.9,
  /** CPU during a retry, as a multiple of that during the same call alone, from which on the first call is still running. */
  minRetryCpu: 1.3,
  /** CPU of a call, as a share of the machine: less is no work that could be doubled. */
  minCpu: 0.05,
};

/** Leaks and drift */
export const DRIFT = {
  /** Beginning of a stretch that is left out: heaps, caches and pools fill. */
  settlingShare: 1 / 6,
  /** The same, at least. */
  minSettlingS: 30,
  /** The same, at most. */
  maxSettlingS: 1800,
  /** Blocks of a stretch. */
  minBlocks: 12,
  /** The same, at most. */
  maxBlocks: 24,
  /** Length of a block: longer than the 6 s that a rate looks back over. */
  minBlockS: 10,
  /** Points of a block. */
  minBlockPoints: 4,
  /** A leak reaches its limit within this time; what takes longer does not end a deployment. */
  horizonH: 168,
  /** Speed of the second half, relative to the first: caches and heaps that fill level off. */
  persists: 0.5,
  /** Difference between the slopes of both halves that is none. */
  steady: 0.33,
  /** Growth with time: points of a phase. */
  minPoints: 3,
  /** Growth with time: factor between the loads of two phases. */
  loadFactor: 3,
  /** Growth with time: difference between the slopes of a phase and the run. */
  maxApart: 0.4,
  /** Growth with time: share of the first value. A heap grows as much while it settles. */
  minGrowth: 0.3,
  /** Growth with time: the same in bytes. */
  minGrowthBytes: 32 * 2 ** 20,
};

/** Recommended values */
export const RECOMMENDED = {
  /** Failure rate at which a value, a batch size or a number of calls at once is not recommended. */
  maxFailures: 0.01,
  /** Throughputs this close to the best are equal: the smallest value wins. */
  tie: 0.1,
  /** A smaller factor between two values is not worth a change of the server. */
  minFactor: 1.02,
};
