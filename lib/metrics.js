/**
 * Every metric that the client records, and what each is for. Units are k6's: times in milliseconds.
 * Requests of the warm-up and of set-up go into `mcp_warmup_requests` alone, so that no figure, threshold
 * or panel has to remember to leave them out.
 *
 * docs/metrics.md is made of these comments (`make docs`). A metric without a line `Tags:` has those of a request: phase,
 * method, operation and class.
 */
import { Counter, Gauge, Rate, Trend } from 'k6/metrics';

/** From sending an answered request to its last byte. */
export const requestDuration = new Trend('mcp_request_duration', true);
/**
 * Of a run that keeps no samples: the same, in seconds to the power of 8. k6's histograms have buckets 9 % wide; those
 * of this power are 1.1 % wide in the duration.
 */
export const requestDurationFine = new Trend('mcp_request_duration_fine');
/**
 * Answered requests that took an objective's limit or longer, in a run that keeps no samples (see latency-limits.js).
 * Tags: phase, method, operation, class, limit (ms)
 */
export const slowRequests = new Counter('mcp_slow_requests');
/** Every HTTP request of the measured phases, handshakes and DELETEs too. */
export const requests = new Counter('mcp_requests');
/** Of these requests, the share that failed. */
export const requestFailed = new Rate('mcp_request_failed');
/**
 * Failed requests, each of one kind (see mcp/failure-kinds.js).
 * Tags: phase, method, operation, class, kind
 */
export const failures = new Counter('mcp_failures');
/** Those among them that were not let in: connection refused, 429, 503. */
export const refused = new Counter('mcp_refused');
/**
 * Seconds into the run at which a failure of this kind happened: its minimum and maximum are the first and last.
 * Tags: phase, method, operation, class, kind
 */
export const failureSeconds = new Gauge('mcp_failure_seconds');
/** A session's handshake: initialize and initialized. */
export const sessionDuration = new Trend('mcp_session_duration', true);
/** Sessions that the server had ended: opened anew, and the call made again. */
export const sessionsExpired = new Counter('mcp_sessions_expired');
/**
 * Requests of the measured phases beyond the one in which an iteration's first call ends: handshakes, DELETEs, rounds of
 * input, later calls of an operation that is several. Without them there is one request, or one result from the cache,
 * for each iteration (see analysis/reconcile.js).
 */
export const furtherRequests = new Counter('mcp_further_requests');
/**
 * Exceptions that ended an iteration, or that a function of the workload threw, in the warm-up too. One is enough to
 * make the run invalid.
 * Tags: phase, method, operation, class
 */
export const exceptions = new Counter('mcp_exceptions');
/** Results that a user took from its own cache (CLIENT_CACHE=1): no requests. */
export const cacheHits = new Counter('mcp_cache_hits');
/** Items processed by batch operations that succeeded. */
export const items = new Counter('mcp_items');
/**
 * When the phases began, as a Unix time; its tags say what the target is, and whose signals in Prometheus are its own.
 * Tags: server, era, protocol_version, server_name, server_version
 */
export const startedSeconds = new Gauge('mcp_started_seconds');
/**
 * What the phases are judged by, for dashboards: seconds or a share.
 * Tags: objective, phase, operation, class
 */
export const objectiveLimits = new Gauge('mcp_objective');
/**
 * Requests of the warm-up and of set-up, which are in nothing else.
 * Tags: phase
 */
export const warmupRequests = new Counter('mcp_warmup_requests');
/** The arrival rate that the running phase promises, for dashboards. */
export const offeredRps = new Gauge('mcp_offered_rps');
/**
 * Seconds into the run at which a phase ends: as planned, or where it has a number of iterations, when it finished
 * them.
 * Tags: phase
 */
export const phaseEndSeconds = new Gauge('mcp_phase_end_seconds');
/**
 * Seconds into the run at which a phase begins, or a step of a sequence began.
 * Tags: phase
 */
export const phaseStartSeconds = new Gauge('mcp_phase_start_seconds');
/** Calls that a step of a sequence made: k6 counts the whole sequence as one iteration. */
export const stepIterations = new Counter('mcp_step_iterations');
/** Of an operation that is several calls: from the first one's beginning to the last one's end, where all succeed. */
export const sequenceDuration = new Trend('mcp_sequence_duration', true);
