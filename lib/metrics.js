/**
 * Every metric that the client records, and what each is for. Units are k6's: times in milliseconds.
 * Requests of the warm-up and of set-up go into `mcp_warmup_requests` alone, so that no figure, threshold
 * or panel has to remember to leave them out.
 */
import { Counter, Gauge, Rate, Trend } from 'k6/metrics';

/** From sending an answered request to its last byte. */
export const requestDuration = new Trend('mcp_request_duration', true);
/** Every HTTP request of the measured phases, handshakes and DELETEs too. */
export const requests = new Counter('mcp_requests');
export const requestFailed = new Rate('mcp_request_failed');
/** Failed requests, by the tag `kind` (see mcp/failure.js). */
export const failures = new Counter('mcp_failures');
/** Seconds into the run at which a failure of this kind happened: its minimum and maximum are the first and last. */
export const failureSeconds = new Gauge('mcp_failure_seconds');
/** A session's handshake: initialize and initialized. */
export const sessionDuration = new Trend('mcp_session_duration', true);
/** Items processed by batch operations that succeeded. */
export const items = new Counter('mcp_items');
export const requestBytes = new Counter('mcp_request_bytes');
export const responseBytes = new Counter('mcp_response_bytes');
export const warmupRequests = new Counter('mcp_warmup_requests');
/** The arrival rate that the running phase promises, for dashboards. */
export const offeredRps = new Gauge('mcp_offered_rps');
/** Seconds into the run at which a phase with a given number of iterations finished them. */
export const phaseEndSeconds = new Gauge('mcp_phase_end_seconds');
