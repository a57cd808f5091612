/** The calls of `make long-calls`: one tool whose arguments set its duration. */

/** Defaults for the reference target. */
const REFERENCE = { TOOL: 'run_job', ARGS: '{"seconds": "SECONDS"}' };

/**
 * @param {Record<string, string | undefined>} env TOOL and ARGS
 * @param {string} giveUp k6 duration after which a client gives up
 * @returns {import('../lib/workload.js').Workload} silent: a plain call; progress: a call with progress
 *   notifications; given_up: a call that the client abandons
 */
export function workload(env, giveUp) {
  const { TOOL: tool, ARGS: text } = env.TOOL && env.ARGS ? env : REFERENCE;
  const template = JSON.parse(text ?? '{}');
  /** @type {import('../lib/workload.js').OperationSpec} */
  const call = {
    class: 'complex',
    args: ({ seconds }) => /** @type {Record<string, unknown>} */ (withDuration(template, seconds)),
    ...(tool && { tool }),
  };
  return {
    name: 'long-calls',
    operations: {
      silent: call,
      progress: { ...call, progress: true },
      given_up: { ...call, abandon_after: giveUp },
    },
    mixes: { all: { silent: 1, progress: 1, given_up: 1 }, both: { silent: 1, progress: 1 } },
  };
}

/**
 * @param {unknown} template JSON
 * @param {number} seconds
 * @returns {unknown} the template with "SECONDS" and "MILLISECONDS" replaced by the duration; a text that
 *   consists only of the placeholder becomes a number
 */
export function withDuration(template, seconds) {
  if (typeof template === 'string') {
    if (template === 'SECONDS') return seconds;
    const ms = Math.round(seconds * 1000);
    if (template === 'MILLISECONDS') return ms;
    return template.replaceAll('MILLISECONDS', String(ms)).replaceAll('SECONDS', String(seconds));
  }
  if (Array.isArray(template)) return template.map((item) => withDuration(item, seconds));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => [name, withDuration(value, seconds)]),
  );
}
