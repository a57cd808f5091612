/**
 * All limits of verdicts and findings. `make docs` writes docs/limits.md from these comments. The first
 * sentence describes the limit, the others explain its value. Shares are between 0 and 1. A suffix such as `S`,
 * `Ms` or `H` is the unit of time.
 */
import { MAX_GENERATOR_CPU, MIN_DELIVERED } from '../contract/limits.js';

/** Objectives */
export const OBJECTIVES = {
  /** Maximum probability of the observed slow or failed calls on a server that meets the objective. Below it, the objective counts as missed. */
  maxChance: 1e-4,
  /** Minimum share of the failures that an operation must have to be named as their cause. */
  minOwnFailures: 0.5,
};

/** Trust */
export const TRUST = {
  /** Maximum CPU usage of k6, as a share of the CPU available to it. A busier generator mostly measures itself. */
  maxGeneratorCpu: MAX_GENERATOR_CPU,
  /** Maximum time that answers wait for k6, as a share of the mean latency. An overloaded server also delays k6, but adds far more latency of its own. */
  maxDelayShare: 0.25,
  /** The same limit if the load saturates the machine by design (overload, VUs without a pause). Above half, k6 mostly measures itself. */
  maxDelayShareIfFull: 0.5,
  /** Shorter waits for k6 are ignored. A request over loopback takes as long. */
  minDelayMs: 1.5,
  /** Shorter waits for k6 are ignored if no call was answered. Without answers, there is no latency to compare the wait with. */
  minDelayAloneMs: 100,
  /** Maximum CPU usage of unrelated processes, as a share of the machine. On two cores, this is 40 % of one core. */
  maxOtherCpu: 0.2,
  /** Minimum share of the offered load that must be delivered. */
  minDelivered: MIN_DELIVERED,
  /** Minimum share of busy VUs at which a slow server explains missing load. */
  minBusyVus: 0.5,
  /** Minimum share of unanswered calls that explains missing load. Each unanswered call blocks its VU for the whole timeout. */
  minUnanswered: 0.01,
  /** Minimum latency of a slow server, as a multiple of its latency under a fully delivered load. */
  slowFactor: 2,
  /** Minimum call duration for which a phase must have enough VUs, if there is no baseline. With fewer VUs, no server could handle the load. */
  minHeadroomS: 0.1,
  /** Recommended number of VUs, as a multiple of those that the rate needs at the mean latency. */
  vuHeadroom: 2,
  /** Maximum share of a phase in which writes to Prometheus may fail. */
  maxLostWrites: 0.1,
  /** Minimum length of a phase that is checked separately. CPU times have a resolution of 10 ms. */
  minSpanS: 5,
  /** Minimum number of expected calls at which an operation without calls counts as missing. With fewer, the operation may just be rare. */
  minMissingCalls: 20,
};

/** Normal range */
export const NORMAL = {
  /** Minimum number of calls for a p99. With 100 calls, one call is above p99. */
  minP99Calls: 100,
  /** Maximum normal p99, as a multiple of the baseline's p99, unless the objective allows more. */
  p99Factor: 1.3,
  /** Maximum normal increase over the baseline's failure rate, unless the objective allows more. */
  failureMargin: 0.01,
  /** Maximum failure rate of a baseline, unless the objective allows more. With more failures, the phase does not represent normal operation. */
  maxBaselineFailures: 0.05,
};

/** Episodes */
export const EPISODES = {
  /** Logarithm of the likelihood ratio at which an episode begins. The ratio is about 10^7, because an hour at 2,000 calls/s has 7 x 10^6 calls. */
  minEvidence: 16,
  /** Logarithm of the likelihood ratio at which an episode ends. The ratio is about 3,000, which takes 200 normal calls. */
  minEvidenceOfEnd: 8,
  /** Share of bad calls that the sequential test detects, as a multiple of the normal share. */
  badFactor: 5,
  /** Minimum difference between the detected share and the normal share. */
  minMoreBad: 0.02,
  /** Upper bound of the share of bad calls that the sequential test looks for. */
  maxBad: 0.9,
  /** Minimum share of the planned calls in a second. With fewer, the missing calls count as bad, because they cannot raise p99. */
  minMade: 0.5,
  /** Normal share of slow calls, by the definition of p99. */
  slowShare: 0.01,
  /** Minimum number of parts (100 calls each) in the first phase for a normal range based on parts. With fewer parts, the phase counts as a whole. */
  minParts: 5,
  /** Minimum length of a stall. */
  minStallS: 0.3,
  /** Minimum share of the calls begun during a stall that wait until the stall ends. */
  minStalled: 0.6,
  /** Minimum number of stalls that can be periodic. */
  minPeriodic: 3,
  /** Stalls are periodic if each interval deviates from a multiple of the median interval by at most this share of the median, or by 1 s. */
  maxPeriodScatter: 0.2,
  /** Time that is ignored at the beginning of a phase, because clients open connections and sessions. */
  settlingS: 2,
  /** Maximum lateness of a generator timer. A later timer shows that the machine stalled, not the server. */
  maxLatenessMs: 30,
};

/** Recovery */
export const RECOVERY = {
  /** Maximum time after an overload, or after its last episode, in which the next episode counts as caused by the overload. */
  sameOverloadS: 10,
  /** Minimum normal time at the end of the phase. */
  minNormalS: 3,
  /** Minimum number of normal calls for high confidence. The start of an episode needs the same evidence. */
  manyCalls: 400,
};

/** Onset */
export const ONSET = {
  /** Minimum number of calls in a phase for high confidence. With fewer calls, p99 varies by chance. */
  manyCalls: 1000,
};

/** Bottleneck */
export const BOTTLENECK = {
  /** Minimum number of points for a reading. A single point may be a coincidence. */
  minPoints: 2,
  /** Minimum share of a phase's later points that must also be outside the normal range. A failure persists. */
  lasting: 0.7,
  /** Share of the baseline's points that count as normal. The largest of ten points may be an outlier. */
  usualMoments: 0.9,
  /** Minimum share of rejections (429) in the failures at which failures are reported before latency. */
  refused: 0.5,
  /** Minimum share of the added time, or of the failures, that a cause must explain. */
  minPart: 0.2,
  /** Minimum CPU usage of the top consumer, as a share of the machine. */
  minConsumed: 0.2,
  /** Minimum share of the used CPU at which a single consumer is the cause. Below it, several consumers share the machine. */
  minConsumedOfUsed: 0.5,
  /** CPU utilization at which a machine is saturated. A mean of 90 % over seconds includes moments without free CPU. */
  fullCpu: 0.9,
  /** Mean utilization over a phase at which a resource is nearly saturated. The finding has a lower confidence. */
  nearlyFull: 0.85,
  /** Minimum share of lost connections and timeouts in the failures at which the target counts as unavailable. */
  mostlyAway: 0.9,
  /** Maximum time between the onset and the moment when a resource reaches its limit. Signals look back over this time, so shorter delays are not significant. */
  lateS: 8,
  /** Minimum rank correlation with p99 for full confidence. This is a medium effect in Cohen, Statistical Power Analysis, 2nd ed., 1988, 3.2. */
  minCorrelation: 0.3,
  /** Minimum rank correlation that is reported. This is a small effect in Cohen. */
  minCorrelationSaid: 0.1,
  /** Minimum difference in weight from the second resource for full confidence. */
  minLead: 0.5,
  /** Multiplier of the limits of signals inferred from connections. These signals underestimate the baseline. */
  inferredFactor: 2.5,
  /** Minimum growth over the baseline if the baseline was already at the limit. */
  minGrowth: 1.1,
  /** Minimum share of a thread's time that an operation uses to count as blocking the thread. */
  minHeld: 0.5,
  /** Maximum share of a thread's time that an operation can use. Above it, several threads ran the operation. */
  maxHeld: 1.2,
  /** Minimum share of the total operation time that the blocking operation takes. */
  minBlockingShare: 0.6,
  /** Minimum service time of the blocking operation, as a multiple of the other operations' median. */
  minBlockingFactor: 5,
  /** Minimum delay of the other operations, as a share of the blocking operation's own delay. */
  minDelayedTogether: 0.3,
  /** Minimum number of connections in a pool. A server may need only a single connection. */
  minPool: 2,
  /** Maximum relative difference between the number of connections and of concurrent calls. A call takes longer than its statement. */
  poolMargin: 0.2,
  /** Maximum width of the confidence interval of the number of concurrent calls, relative to this number. */
  maxPoolWidth: 1,
  /** Minimum utilization in the baseline for a prediction. Below it, other work causes most of the utilization. */
  minBaselineUtilization: 0.02,
};

/** Capacity */
export const CAPACITY = {
  /** Minimum number of calls in flight at the beginning and end of a period in which calls wait. */
  minInFlight: 3,
  /** Minimum number of calls in flight, as a share of the maximum. */
  minOfPeak: 0.5,
  /** Minimum number of seconds for a capacity rate. */
  minS: 3,
  /** Minimum time that a call spends in the system, as a multiple of its service time. Above it, calls wait. */
  minStay: 2,
  /** Minimum share of successful answers. Below it, the rate is mostly a rate of failures. */
  minGood: 0.5,
  /** Minimum share of successful answers at which the number of concurrent calls is known. */
  minGoodOfServed: 0.9,
  /** Minimum number of answers in the baseline for an operation's median. */
  minSamples: 10,
  /** Minimum share of answers whose operation has a median in the baseline. */
  minKnown: 0.9,
  /** Minimum service time at which the number of concurrent calls is known. The client and the network add about a millisecond. */
  minServiceMs: 5,
  /** Maximum upper end of the confidence interval of the number of concurrent calls, for a server with one call at a time. */
  maxOfOne: 2,
  /** Minimum lower end of this interval, for a server with one call at a time. */
  minOfOne: 0.5,
  /** Maximum width of the rate's confidence interval for high confidence, relative to the rate. */
  maxWidth: 0.5,
};

/** Connections */
export const CONNECTIONS = {
  /** Minimum connection time, as a share of p95. */
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
  /** Minimum number of failures that can have a shape. */
  minFailures: 5,
  /** Maximum p-value of a shape (Fisher's exact test). Above it, the shape may be a coincidence. */
  maxChance: 1e-4,
  /** Minimum share of all failures that a shape of one failure kind must explain. */
  minExplained: 0.02,
  /** Minimum share of the failures that the shapes must explain. Below it, "inconclusive" is added. */
  explainsAll: 0.9,
  /** Minimum share of the failures that a shape in the headline must explain. */
  mostlyExplained: 0.5,
  /** `operation`: maximum share of the failures in other operations. */
  maxElsewhere: 0.02,
  /** `operation`: minimum share of requests in other operations. Fewer requests may be just pings. */
  minOthers: 0.02,
  /** `since`, `window`, `clients`: minimum share of the failures within the shape. */
  minCovered: 0.95,
  /** `since`, `window`: minimum failure rate within the shape. */
  minFailing: 0.9,
  /** `since`, `window`: minimum number of successful calls before the shape. */
  minBefore: 5,
  /** `window`: minimum length, in tenths of a second, at which successes in the first and last tenth count as outside of the window. */
  minTenths: 5,
  /** `overlap`: minimum ratio between the second-best and the best operation's p-value. */
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
  /** `replicas`: minimum share of sessions rejected at first use. Two replicas reject half of them. A server whose sessions expire rejects none. */
  minRefused: 0.2,
  /** `replicas`: maximum share of sessions rejected when they are opened. */
  maxRefusedAtOpening: 0.02,
};

/** Processes */
export const PROCESSES = {
  /** `silence`, `lost`, `late`: minimum number of unanswered calls. */
  minUnanswered: 5,
  /** `lost`: maximum number of late answers, as a share of the lost ones. A server that loses answers never sends them. A slow server sends most of them late. */
  maxLateOfLost: 0.02,
  /** `late`: minimum share of timed-out calls that are answered later. Answers to the last calls would arrive after the end of the run. */
  minLate: 0.2,
  /** One call at a time: minimum number of calls that waited for the answer to another call. */
  minBehind: 20,
  /** One call at a time: minimum number of calls of an operation without any overlap. */
  minAlone: 5,
  /** One call at a time: maximum share of calls that were answered before an earlier call. */
  maxOvertook: 0.02,
  /** One call at a time: minimum time since the previous answer, as a share of the duration without overlap. Concurrent calls of equal length reach at most 0.5. */
  minGap: 0.8,
  /** One call at a time: minimum ratio between the durations of two operations. Concurrent short calls would overtake long calls. */
  minUnequal: 2,
  /** Minimum share of a call's duration that is spent starting the process. */
  minStartShare: 0.1,
};

/** Shares and modes */
export const SPREAD = {
  /** `share`: minimum number of failures. */
  minFailures: 10,
  /** Maximum share of the calls. More than half of the calls are not an exception. */
  maxShare: 0.5,
  /** Minimum ratio between two loads to count as different. */
  loadFactor: 2,
  /** `share`: minimum number of expected failures at each load. */
  minExpected: 5,
  /** `share`: maximum ratio between the shares at two loads. */
  maxRatio: 2,
  /** `share`: number of equal parts of the run that are compared. If the failures cluster in a few parts, they have another cause. */
  parts: 10,
  /** Maximum p-value at which parts or loads differ. */
  maxChance: 0.01,
  /** `modes`: maximum relative width of the slow answers' latencies (5th to 95th percentile). Timeouts are exact, queues are not. */
  maxModeWidth: 0.1,
  /** `modes`: minimum latency of the slow answers, as a multiple of the fast answers' p95. */
  minModeFactor: 5,
  /** `modes`: minimum latency of the slow answers, in milliseconds. */
  minModeMs: 300,
  /** `modes`: minimum number of slow answers. */
  minModeAnswers: 10,
};

/** Slow operation */
export const SLOW_OPERATION = {
  /** Minimum latency, as a multiple of the other operations' median. */
  factor: 10,
  /** Minimum difference from this median. Below it, the client's own time matters. */
  minMs: 20,
  /** Minimum number of answers on either side for a percentile. */
  minAnswers: 40,
  /** Minimum share of the calls above the mix's p99 that are calls of the operation. */
  minOfSlow: 0.8,
  /** Minimum latency of a slow call, as a multiple of the operation's p95 in the baseline. */
  slowFactor: 1.3,
  /** Minimum share of slow calls in an operation that became slow. */
  slowShare: 0.1,
  /** Minimum ratio between the share of slow calls in the operation and in any other operation. */
  minAhead: 2,
  /** Maximum p-value of the number of slow calls. */
  maxChance: 1e-4,
};

/** Held streams */
export const STREAMS = {
  /** Minimum number of streams that ended unexpectedly, for a common duration. */
  minEnded: 5,
  /** Minimum share of the ended streams whose duration is within the spread. */
  minAlike: 0.8,
  /** Maximum relative spread of a common duration. A time limit is exact, except for the interval at which it is checked. */
  maxSpread: 0.1,
  /** Maximum spread of a common duration in milliseconds, if larger. Proxies check once per second. */
  maxSpreadMs: 1100,
  /** Minimum duration of a stream that was cut off. Shorter streams ended right after their start. */
  minCutMs: 1000,
  /** Minimum share of unanswered calls at which the server counts as not answering. */
  minUnanswered: 0.5,
  /** Minimum p95 of slower calls, as a multiple of the p95 without streams. */
  slowFactor: 1.5,
  /** Minimum difference from this p95. Below it, the client's own time matters. */
  minSlowMs: 5,
  /** Minimum share of the expected notifications. Below it, notifications count as lost. Streams may open or close during a call. */
  minReceived: 0.99,
  /** Maximum relative error (half of the 95 % interval) of the cost per stream. A growing heap is not a cost and grows unevenly. */
  maxCostError: 0.5,
};

/** Long calls */
export const LONG_CALLS = {
  /** Minimum number of failed calls with a common duration. */
  minFailed: 2,
  /** Minimum duration of a call, as a share of the requested duration. A shorter call ignores its argument. */
  minLength: 0.8,
  /** Maximum duration of a call, as a multiple of the requested duration. A longer call waited for other calls. */
  maxLength: 1.5,
  /** Minimum time of the first progress report, as a share of the call's duration, at which reports count as sent with the answer. */
  minHeldBack: 0.9,
  /** Minimum CPU usage during a retry, as a multiple of a single call's CPU usage, at which the first call counts as still running. */
  minRetryCpu: 1.3,
  /** Minimum CPU usage of a call, as a share of the machine. With less, doubled work would not be visible. */
  minCpu: 0.05,
};

/** Leaks and drift */
export const DRIFT = {
  /** Share of a stretch that is ignored at its beginning, because heaps, caches and pools fill up. */
  settlingShare: 1 / 6,
  /** Minimum length of the ignored beginning. */
  minSettlingS: 30,
  /** Maximum length of the ignored beginning. */
  maxSettlingS: 1800,
  /** Minimum number of blocks in a stretch. */
  minBlocks: 12,
  /** Maximum number of blocks in a stretch. */
  maxBlocks: 24,
  /** Minimum length of a block. This is longer than the 6 s that a rate looks back over. */
  minBlockS: 10,
  /** Minimum number of points in a block. */
  minBlockPoints: 4,
  /** Maximum time until a leak reaches its limit. A slower leak rarely affects a deployment. */
  horizonH: 168,
  /** Minimum slope of the second half, relative to the first half. Caches and heaps level off. */
  persists: 0.5,
  /** Maximum relative difference between the slopes of both halves for high confidence. */
  steady: 0.33,
  /** Growth over time: minimum number of points in a phase. */
  minPoints: 3,
  /** Growth over time: minimum ratio between the loads of two phases. */
  loadFactor: 3,
  /** Growth over time: maximum difference between a phase's slope and the run's slope, as a share of the run's slope. */
  maxApart: 0.4,
  /** Growth over time: minimum growth, as a share of the first value. Smaller growth may be a settling heap. */
  minGrowth: 0.3,
  /** Growth over time: minimum growth in bytes. */
  minGrowthBytes: 32 * 2 ** 20,
};

/** Recommended values */
export const RECOMMENDED = {
  /** Maximum failure rate of a recommended value, batch size or number of concurrent calls. */
  maxFailures: 0.01,
  /** Maximum relative difference from the best throughput to count as equal. The smallest value is recommended. */
  tie: 0.1,
  /** Minimum improvement that justifies a change to the server, as a factor. */
  minFactor: 1.02,
};
