/** When figures can't be trusted: every limit, and why it is where it is. What was measured for them is in docs/verdicts.md. */

/** Of the CPU that it may use. A generator busier than this measures itself. */
export const GENERATOR_CPU_LIMIT = 0.8;

/**
 * An answer that has arrived waits until k6 gets a processor to take it up, and that time is in the latency. Its share of the mean
 * latency is what tells a starved generator from a full machine: a server that is overloaded on the same processors
 * makes k6 wait, too, but takes far longer itself.
 */
export const GENERATOR_DELAY_SHARE = 0.25;
/**
 * Where the load fills the machine by design (an overload, users without a pause). On a machine that generator and server share, k6 then
 * waits for about as much of the latency as it uses of the CPU, whatever its health; from half on it measures mostly itself.
 */
export const FULL_DELAY_SHARE = 0.5;
/** Less than this is what a request over loopback takes anyway. */
export const GENERATOR_DELAY_MS = 1.5;

/** Of a phase in which nothing was answered there is no latency; a k6 that is this late would not have seen it. */
export const GENERATOR_DELAY_ALONE_MS = 100;

/** Of the whole machine. On two processors that is two fifths of one: from here on latencies hold waiting for it. */
export const OTHER_CPU_LIMIT = 0.2;

/** Of the offered load that must have been made, whether the objectives are judged or not. */
export const DELIVERED_SHARE = 0.95;

/** So much of the users' time spent waiting for answers leaves too few of them free. */
export const BUSY_SHARE = 0.5;
/** A user that waits for an answer that never comes is kept for the whole timeout, which no latency shows. */
export const UNANSWERED_SHARE = 0.01;
/** A server that answers in at most so many times what it took under a load that it was given in full was not slow. */
export const SLOW_FACTOR = 2;
/** With nothing to compare with: users for less than this of each call's time are too few for any server. */
export const LEAST_HEADROOM_S = 0.1;
/** What a test gives itself where MAX_VUS allows. */
export const USUAL_HEADROOM_S = 3;

/** A server is idle where at least its CPU is known and all of these that are known are below. */
export const IDLE_BELOW: Record<string, number> = {
  worker_cpu: 0.7,
  cpu: 0.7,
  // It may wait for what others use.
  host_cpu: 0.9,
  pool_utilization: 0.9,
  pool_waiting: 1,
  eventloop_lag: 0.05,
};
export const CPU_OF_SERVER = ['worker_cpu', 'cpu'];

/** Of a phase of several generators, in which k6 could not write to Prometheus: what changed meanwhile is not to be seen. */
export const LOST_SHARE = 0.1;
/** A push holds so much. */
export const PUSH_S = 2;

/**
 * Phases shorter than this are looked at together: totals of processes are known to a hundredth of a second. Where all together are
 * shorter, nobody can say whether k6 was late.
 */
export const SHORTEST_S = 5;

/** So many calls of an operation should have been made, and none was: it is missing, not rare. */
export const MISSING_CALLS = 20;
