/**
 * All limits of verdicts and findings. `make docs` writes docs/limits.md from these comments: the first
 * sentence says what a limit is for, the rest why it has its value. Shares are 0 to 1. The end of a name is
 * its unit.
 */
import { MAX_GENERATOR_CPU, MIN_DELIVERED } from '../contract/limits.js';

/** Objectives */
export const OBJECTIVES = {
  /** Probability, for a server that meets its objective, of this many slow or failed calls. Below it, the calls contradict the objective. */
  maxChance: 1e-4,
  /** Minimum share of the failures for an operation to be named as their cause. */
  minOwnFailures: 0.5,
};

/** Trust */
export const TRUST = {
  /** Maximum CPU of k6, as a share of what it may use. A busier generator measures mostly itself. */
  maxGeneratorCpu: MAX_GENERATOR_CPU,
  /** Maximum time that answers wait for k6, as a share of the mean latency. An overloaded server also delays k6, but adds far more latency itself. */
  maxDelayShare: 0.25,
  /** Maximum time that answers wait for k6 if the load fills the machine by design (overload, VUs without a pause), as a share of the mean latency. Above half, k6 measures mostly itself. */
  maxDelayShareIfFull: 0.5,
  /** Shorter waits for k6 are ignored. A request over loopback takes as long. */
  minDelayMs: 1.5,
  /** Minimum wait for k6 that counts if no call was answered. Without an answer there is no latency to compare it with. */
  minDelayAloneMs: 100,
  /** Maximum CPU of unrelated processes, as a share of the machine. On two cores, this is 40 % of one core. */
  maxOtherCpu: 0.2,
  /** Minimum share of the offered load that must be delivered. */
  minDelivered: MIN_DELIVERED,
  /** Minimum share of busy VUs for a slow server to explain missing load. */
  minBusyVus: 0.5,
  /** Minimum share of unanswered calls that explains missing load. Each blocks its VU for the whole timeout. */
  minUnanswered: 0.01,
  /** Multiple of the latency under a load that was fully delivered, from which on a server is slow. */
  slowFactor: 2,
  /** Minimum call duration that a phase must have VUs for, if there is no baseline. With fewer VUs, no server could take the load. */
  minHeadroomS: 0.1,
  /** Call duration that a test has VUs for, unless MAX_VUS is lower. */
  usualHeadroomS: 3,
  /** Maximum share of a phase in which writes to Prometheus failed. */
  maxLostWrites: 0.1,
  /** Shorter phases are checked together. CPU times have a resolution of 10 ms. */
  minSpanS: 5,
  /** Minimum number of expected calls for an operation without any call to count as missing. Below it, the operation may just be rare. */
  minMissingCalls: 20,
};

/** Normal range */
export const NORMAL = {
  /** Minimum number of calls for a p99. With 100 calls, one is above it. */
  minP99Calls: 100,
  /** Multiple of the baseline's p99 that is still normal, unless its objective allows more. */
  p99Factor: 1.3,
  /** Increase of the baseline's failure rate that is still normal, unless its objective allows more. */
  failureMargin: 0.01,
  /** Maximum failure rate of a baseline, unless its objective allows more. With more failures, it does not show what is normal. */
  maxBaselineFailures: 0.05,
};

/** Episodes */
export const EPISODES = {
  /** Logarithm of the likelihood ratio at which an episode begins. The ratio is about 10^7, because an hour at 2,000 calls/s has 7 x 10^6 calls. */
  minEvidence: 16,
  /** Logarithm of the likelihood ratio at which an episode ends. The ratio is about 3,000, which takes 200 normal calls. */
  minEvidenceOfEnd: 8,
  /** Share of bad calls that the test looks for, as a multiple of the normal share. */
  badFactor: 5,
  /** Minimum difference between the share that the test looks for and the normal share. */
  minMoreBad: 0.02,
  /** Maximum of the share of bad calls that the test looks for. */
  maxBad: 0.9,
  /** Minimum share of the due calls in a second. With fewer, the missing calls count as bad: calls that are not made cannot raise p99. */
  minMade: 0.5,
  /** Normal share of slow calls, by the definition of p99. */
  slowShare: 0.01,
  /** Minimum number of parts (100 calls each) in the first phase for a normal range of most parts. With fewer, the phase counts as a whole. */
  minParts: 5,
  /** Minimum length of a stall. */
  minStallS: 0.3,
  /** Minimum share of the calls begun in a stall that wait for its end. */
  minStalled: 0.6,
  /** Minimum number of stalls for a period. */
  minPeriodic: 3,
  /** Maximum difference between an interval and the median interval of periodic stalls. */
  maxPeriodScatter: 0.2,
  /** Time at the beginning of a phase that is ignored. Connections and sessions are opened then. */
  settlingS: 2,
  /** Maximum lateness of a generator timer. A later timer shows that the machine was stalled, not the server. */
  maxLatenessMs: 30,
};

/** Recovery */
export const RECOVERY = {
  /** Maximum time between an overload, or its last episode, and the next episode that it still caused. */
  sameOverloadS: 10,
  /** Minimum normal time at the end. */
  minNormalS: 3,
  /** Number of normal calls for high confidence. This is as much evidence as the start of an episode needs. */
  manyCalls: 400,
};

/** Onset */
export const ONSET = {
  /** Number of calls in a phase for high confidence. With fewer, p99 varies by chance. */
  manyCalls: 1000,
};

/** Bottleneck */
export const BOTTLENECK = {
  /** Minimum number of points for a reading. A single point may be chance. */
  minPoints: 2,
  /** Minimum share of a phase's later points that must be outside the normal range as well. A breakage lasts. */
  lasting: 0.7,
  /** Share of the baseline's points that are considered normal. The largest of ten may be an outlier. */
  usualMoments: 0.9,
  /** Minimum share of refusals (429) among the failures for failures to be reported before latency. */
  refused: 0.5,
  /** Minimum share of the added time, or of the failures, that a cause must explain. */
  minPart: 0.2,
  /** Minimum CPU of the largest consumer, as a share of the machine. */
  minConsumed: 0.2,
  /** Minimum share of the used CPU for a single consumer to be the cause. Below it, the machine is shared. */
  minConsumedOfUsed: 0.5,
  /** CPU utilization at which a machine is full. Averaged over seconds, 90 % includes moments without any free CPU. */
  fullCpu: 0.9,
  /** Utilization, averaged over a phase, at which a resource is nearly full. It is reported with a lower confidence. */
  nearlyFull: 0.85,
  /** Minimum share of lost connections and timeouts among the failures for "the target was away". */
  mostlyAway: 0.9,
  /** Maximum delay of a limit after the onset. Signals look back over this time, so a smaller delay is not significant. */
  lateS: 8,
  /** Minimum rank correlation with p99 for full confidence. A medium effect in Cohen, Statistical Power Analysis, 2nd ed., 1988, 3.2. */
  minCorrelation: 0.3,
  /** Minimum rank correlation that is reported. A small effect in Cohen. */
  minCorrelationSaid: 0.1,
  /** Minimum lead in weight over the second resource for full confidence. */
  minLead: 0.5,
  /** Factor on the limits of signals inferred from connections. They underestimate the baseline. */
  inferredFactor: 2.5,
  /** Minimum growth over the baseline if the baseline was already at the limit. */
  minGrowth: 1.1,
  /** Minimum share of a thread's time that an operation must hold to block it. */
  minHeld: 0.5,
  /** Maximum share of a thread's time that an operation can hold. Above it, several threads ran it. */
  maxHeld: 1.2,
  /** Minimum share of the total operation time that the blocking operation takes. */
  minBlockingShare: 0.6,
  /** Minimum service time of the blocking operation, as a multiple of the other operations' median. */
  minBlockingFactor: 5,
  /** Minimum delay of the other operations, as a share of the blocking operation's own delay. */
  minDelayedTogether: 0.3,
  /** Minimum number of connections for a pool. A single connection may be all that the server needs. */
  minPool: 2,
  /** Maximum relative difference between the number of connections and the calls served at once. A call takes longer than its statement. */
  poolMargin: 0.2,
  /** Maximum width of the confidence interval of the calls served at once, relative to their number. */
  maxPoolWidth: 1,
  /** Minimum utilization in the baseline for a prediction. Below it, calls do not cause most of the utilization. */
  minBaselineUtilization: 0.02,
};

/** Capacity */
export const CAPACITY = {
  /** Minimum number of calls in flight at the beginning and the end of a wait. */
  minInFlight: 3,
  /** Minimum number of calls in flight, as a share of their maximum. */
  minOfPeak: 0.5,
  /** Minimum number of seconds for a rate. */
  minS: 3,
  /** Minimum time that a call stays in the system, as a multiple of its service time. Above it, calls wait. */
  minStay: 2,
  /** Minimum share of successful answers. Below it, the rate is that of failures. */
  minGood: 0.5,
  /** Minimum share of successful answers for the number of calls served at once. */
  minGoodOfServed: 0.9,
  /** Minimum number of answers in the baseline for an operation's median. */
  minSamples: 10,
  /** Minimum share of the answers whose operation has such a median. */
  minKnown: 0.9,
  /** Minimum service time for the number of calls served at once. Client and network take about a millisecond. */
  minServiceMs: 5,
  /** Maximum of the confidence interval of the calls served at once, for one call at a time. */
  maxOfOne: 2,
  /** Minimum of that interval, for one call at a time. */
  minOfOne: 0.5,
  /** Maximum width of the rate's confidence interval for high confidence, relative to the rate. */
  maxWidth: 0.5,
};

/** Connections */
export const CONNECTIONS = {
  /** Minimum share of connection time in p95. */
  minShare: 1 / 3,
  /** Minimum connection time. Shorter times are negligible. */
  minMs: 1,
  /** Minimum share of answers after which the server closes the connection. */
  minClosed: 0.9,
  /** Minimum number of requests in a phase. */
  minRequests: 20,
};

/** Failures */
export const FAILURES = {
  /** Minimum number of failures for a shape. */
  minFailures: 5,
  /** Maximum p-value of a shape (Fisher's exact test). Above it, the shape may be a coincidence. */
  maxChance: 1e-4,
  /** Minimum share of all failures that the shape of one kind must explain. */
  minExplained: 0.02,
  /** Minimum share of the failures that shapes must explain for "inconclusive" to be omitted. */
  explainsAll: 0.9,
  /** Minimum share of the failures that a shape in the headline must explain. */
  mostlyExplained: 0.5,
  /** `operation`: maximum share of the failures in other operations. */
  maxElsewhere: 0.02,
  /** `operation`: minimum share of the requests of other operations. They may be a few pings. */
  minOthers: 0.02,
  /** `since`, `window`, `clients`: minimum share of the failures within the shape. */
  minCovered: 0.95,
  /** `since`, `window`: minimum failure rate within it. */
  minFailing: 0.9,
  /** `since`, `window`: minimum number of successful calls before it. */
  minBefore: 5,
  /** `window`: minimum length in tenths of a second for successes in its first and last tenth to count as outside of it. */
  minTenths: 5,
  /** `overlap`: minimum ratio between the p-values of the next operation and of the best one. */
  minAhead: 1e3,
  /** `overlap`: maximum share of the failures without an overlap. */
  maxWithout: 0.02,
  /** `overlap`: maximum time between the first overlap and the first failure. */
  togetherS: 1.5,
  /** `overlap`: maximum number of overlapping calls that were still answered. */
  maxAnswered: 2,
  /** `clients`: minimum mean number of calls per failing client. */
  minClientCalls: 5,
  /** `clients`: minimum number of clients without a failure. */
  minWellClients: 3,
  /** `replicas`: minimum number of opened sessions. */
  minSessions: 10,
  /** `replicas`: minimum share of sessions refused at first use. Two replicas refuse half; a server whose sessions expire refuses none. */
  minRefused: 0.2,
  /** `replicas`: maximum share of sessions refused when they are opened. */
  maxRefusedAtOpening: 0.02,
};

/** Processes */
export const PROCESSES = {
  /** `silence`, `lost`, `late`: minimum number of unanswered calls. */
  minUnanswered: 5,
  /** `lost`: maximum share of answers that arrive late instead. A server that loses answers sends none; a slow server sends most of them late. */
  maxLateOfLost: 0.02,
  /** `late`: minimum share of the timed-out calls that are answered later. The answers to the last calls would arrive after the end of the run. */
  minLate: 0.2,
  /** One call at a time: minimum number of calls that waited for the answer to another call. */
  minBehind: 20,
  /** One call at a time: minimum number of calls of an operation without any overlap. */
  minAlone: 5,
  /** One call at a time: maximum share of calls that were answered before an earlier one. */
  maxOvertook: 0.02,
  /** One call at a time: minimum time since the previous answer, relative to a call alone. Concurrent calls of equal length have 0.5 at most. */
  minGap: 0.8,
  /** One call at a time: minimum ratio between the times of two operations. Among concurrent calls, shorter ones overtake longer ones. */
  minUnequal: 2,
  /** Minimum share of a call that is the start of its process. */
  minStartShare: 0.1,
};

/** Shares and modes */
export const SPREAD = {
  /** `share`: minimum number of failures. */
  minFailures: 10,
  /** Maximum share of the calls. More than half is not an exception. */
  maxShare: 0.5,
  /** Minimum ratio between two loads that count as different. */
  loadFactor: 2,
  /** `share`: minimum number of expected failures at each load. */
  minExpected: 5,
  /** `share`: maximum ratio between the shares at two loads. */
  maxRatio: 2,
  /** `share`: number of equal parts of the run that are compared. Failures that cluster have another cause. */
  parts: 10,
  /** Maximum p-value at which parts or loads differ. */
  maxChance: 0.01,
  /** `modes`: maximum width of the slow answers' times (5th to 95th percentile), as a share. Timeouts are exact, queues are not. */
  maxModeWidth: 0.1,
  /** `modes`: minimum time of the slow answers, as a multiple of the fast answers' p95. */
  minModeFactor: 5,
  /** `modes`: minimum time of the slow answers. */
  minModeMs: 300,
  /** `modes`: minimum number of slow answers. */
  minModeAnswers: 10,
};

/** Slow operation */
export const SLOW_OPERATION = {
  /** Minimum latency, as a multiple of the other operations' median. */
  factor: 10,
  /** Minimum difference from it. Below this, the client's own time matters. */
  minMs: 20,
  /** Minimum number of answers on either side for a percentile. */
  minAnswers: 40,
  /** Minimum share of the operation in the calls above the mix's p99. */
  minOfSlow: 0.8,
  /** Multiple of an operation's own p95 in the baseline above which a call is slow. */
  slowFactor: 1.3,
  /** Share of slow calls above which an operation became slow. */
  slowShare: 0.1,
  /** Minimum ratio between the operation's share of slow calls and that of any other operation. */
  minAhead: 2,
  /** Maximum p-value of the number of slow calls. */
  maxChance: 1e-4,
};

/** Held streams */
export const STREAMS = {
  /** Minimum number of streams that ended by themselves, for a common duration. */
  minEnded: 5,
  /** Minimum share of the ended streams whose duration is within the spread. */
  minAlike: 0.8,
  /** Maximum spread of a common duration, as a share of it. A limit is exact, except for the interval at which it is checked. */
  maxSpread: 0.1,
  /** Maximum spread of a common duration in milliseconds, if that is more. Proxies check once a second. */
  maxSpreadMs: 1100,
  /** Minimum duration of a stream that was cut. A shorter one was ended as soon as it had begun. */
  minCutMs: 1000,
  /** Minimum share of unanswered calls for calls not being served any more. */
  minUnanswered: 0.5,
  /** Multiple of the p95 without streams from which on calls are slower. */
  slowFactor: 1.5,
  /** Minimum difference from that p95. Below this, the client's own time matters. */
  minSlowMs: 5,
  /** Maximum error (half of the 95 % interval) of the cost per stream, as a share of it. A growing heap is not a cost, and grows unevenly. */
  maxCostError: 0.5,
};

/** Long calls */
export const LONG_CALLS = {
  /** Minimum number of failed calls for a common time. */
  minFailed: 2,
  /** Minimum duration of a call, as a share of the requested one. A shorter call does not do what its argument says. */
  minLength: 0.8,
  /** Maximum duration of a call, as a multiple of the requested one. A longer call waited for others. */
  maxLength: 1.5,
  /** Time of the first progress report, as a share of the call, from which on reports arrive only with the answer. */
  minHeldBack: 0.9,
  /** CPU during a retry, as a multiple of that during the same call alone, from which on the first call is still running. */
  minRetryCpu: 1.3,
  /** Minimum CPU of a call, as a share of the machine. With less, doubled work would not show. */
  minCpu: 0.05,
};

/** Leaks and drift */
export const DRIFT = {
  /** Share of a stretch that is ignored at its beginning. Heaps, caches and pools fill then. */
  settlingShare: 1 / 6,
  /** Minimum length of that beginning. */
  minSettlingS: 30,
  /** Maximum length of that beginning. */
  maxSettlingS: 1800,
  /** Minimum number of blocks in a stretch. */
  minBlocks: 12,
  /** Maximum number of blocks in a stretch. */
  maxBlocks: 24,
  /** Minimum length of a block. A rate looks back over 6 s, which is less. */
  minBlockS: 10,
  /** Minimum number of points in a block. */
  minBlockPoints: 4,
  /** Maximum time until a leak reaches its limit. A slower leak does not end a deployment. */
  horizonH: 168,
  /** Minimum slope of the second half, relative to the first. Filling caches and heaps level off. */
  persists: 0.5,
  /** Maximum relative difference between the slopes of both halves for high confidence. */
  steady: 0.33,
  /** Growth over time: minimum number of points in a phase. */
  minPoints: 3,
  /** Growth over time: minimum ratio between the loads of two phases. */
  loadFactor: 3,
  /** Growth over time: maximum difference between the slopes of a phase and of the run, as a share of the latter. */
  maxApart: 0.4,
  /** Growth over time: minimum growth as a share of the first value. A settling heap may grow by as much. */
  minGrowth: 0.3,
  /** Growth over time: minimum growth in bytes. */
  minGrowthBytes: 32 * 2 ** 20,
};

/** Recommended values */
export const RECOMMENDED = {
  /** Maximum failure rate of a recommended value, batch size or number of concurrent calls. */
  maxFailures: 0.01,
  /** Maximum relative difference from the best throughput that counts as equal. The smallest value wins. */
  tie: 0.1,
  /** Minimum improvement that is worth a change of the server. */
  minFactor: 1.02,
};
