/**
 * The metrics that scripts record; those of requests are the client's (xk6-mcp/names.json). Units are k6's: times in milliseconds.
 *
 * docs/metrics.md is made of these comments (`make docs`). A metric without a line `Tags:` has those of a request: phase,
 * method, operation and class.
 */
import { Counter, Gauge, Rate, Trend } from 'k6/metrics';

/**
 * Exceptions that ended an iteration, or that a function of the workload threw, in the warm-up too. One is enough to
 * make the run invalid.
 * Tags: phase, operation
 */
export const exceptions = new Counter('mcp_exceptions');
/**
 * Items processed by batch operations that succeeded.
 * Tags: phase, operation, class
 */
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
 * The arrival rate that the running phase promises, for dashboards.
 * Tags: phase
 */
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
/**
 * Calls that a step of a sequence made: k6 counts the whole sequence as one iteration.
 * Tags: phase
 */
export const stepIterations = new Counter('mcp_step_iterations');
/** Of an operation that is several calls: from the first one's beginning to the last one's end. A sequence that failed counts until it failed. */
export const sequenceDuration = new Trend('mcp_sequence_duration', true);
/** The client's: later calls of an operation that is several are requests beyond the one in which an iteration's first call ends. */
export const additionalRequests = new Counter('mcp_additional_requests');
/**
 * From the wish for a stream until it was open, with the handshake of its session. Of a server that offers none, until it refused.
 * Tags: phase
 */
export const streamOpening = new Trend('mcp_stream_opening_duration', true);
/**
 * Sessions whose client left without ending them, and which the server still knew when one of 100 of them asked later.
 * Tags: phase
 */
export const sessionsKept = new Rate('mcp_sessions_kept');
