/**
 * The metrics that scripts record. The client records the metrics of requests (xk6-mcp/names.json). Times are
 * in milliseconds, as in k6.
 *
 * docs/metrics.md is generated from these comments (`make docs`). A metric without a line `Tags:` has the
 * tags of a request: phase, method, operation and class.
 */
import { Counter, Gauge, Rate, Trend } from 'k6/metrics';

/**
 * Exceptions that ended an iteration or were thrown by a function of the workload, including the warm-up. A
 * single one makes the run invalid.
 * Tags: phase, operation
 */
export const exceptions = new Counter('mcp_exceptions');
/**
 * Items processed by batch operations that succeeded.
 * Tags: phase, operation, class
 */
export const items = new Counter('mcp_items');
/**
 * Start of the phases as a Unix time. The tags identify the target and the server whose signals in Prometheus
 * belong to it.
 * Tags: server, era, protocol_version, server_name, server_version
 */
export const startedSeconds = new Gauge('mcp_started_seconds');
/**
 * Objectives of the phases for dashboards, in seconds or as a share.
 * Tags: objective, phase, operation, class
 */
export const objectiveLimits = new Gauge('mcp_objective');
/**
 * Planned arrival rate of the current phase, for dashboards.
 * Tags: phase
 */
export const offeredRps = new Gauge('mcp_offered_rps');
/**
 * End of a phase, in seconds since the start of the run: as planned, or for a phase with a number of
 * iterations, when they were finished.
 * Tags: phase
 */
export const phaseEndSeconds = new Gauge('mcp_phase_end_seconds');
/**
 * Start of a phase or of a sequence's step, in seconds since the start of the run.
 * Tags: phase
 */
export const phaseStartSeconds = new Gauge('mcp_phase_start_seconds');
/**
 * Calls of a sequence's step. k6 counts the whole sequence as one iteration.
 * Tags: phase
 */
export const stepIterations = new Counter('mcp_step_iterations');
/**
 * Duration of an operation with several calls, from the start of the first call to the end of the last. A
 * failed sequence counts until its failure.
 */
export const sequenceDuration = new Trend('mcp_sequence_duration', true);
/**
 * Requests beyond one per iteration. The client counts them too; here: the later calls of an operation with
 * several calls.
 */
export const additionalRequests = new Counter('mcp_additional_requests');
/**
 * Time to open a stream, including the handshake of its session. If the server offers no streams: the time
 * until it refused.
 * Tags: phase
 */
export const streamOpening = new Trend('mcp_stream_opening_duration', true);
/**
 * Share of abandoned sessions that the server still knew later. One client per VU checks its session.
 * Tags: phase
 */
export const sessionsKept = new Rate('mcp_sessions_kept');
/**
 * Delay of each notification on a held stream since the latest call of NOTIFY_TOOL.
 * Tags: phase
 */
export const notificationDelay = new Trend('mcp_notification_delay', true);
/**
 * Share of the calls of NOTIFY_TOOL that succeeded.
 * Tags: phase
 */
export const notifyCalls = new Rate('mcp_notify_calls');
