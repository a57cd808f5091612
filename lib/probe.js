/** Tries each operation once before any load. */
import { harmlessJson, oneLine } from '../contract/one-line.js';

/** Time for all probes together, seconds. Operations that were not tried in time are left out. */
const PROBES_S = 120;
/**
 * After this time, seconds, an operation's remaining argument sets are not tried. One working set is enough.
 */
const OPERATION_S = 2;
const PROGRESS_S = 3;
/** JSON-RPC: internal error, server error, and the code of some SDKs if a handler throws. */
const SERVER_ERRORS = [-32603, -32000, 0];
/**
 * JSON-RPC: method not found, invalid parameters, resource not found. The call is at fault, even with an HTTP
 * status of 4xx.
 */
const CALLER_ERRORS = [-32601, -32602, -32002];
/** Failures without an HTTP status. @type {Record<string, string>} */
const BROKEN = { connect: 'no connection', stalled: 'its answer stalled', protocol: 'no MCP answer' };

/**
 * @typedef {object} Answered the result of probing one operation
 * @property {number[]} works indexes of the argument sets that may be used; [0] for an operation without
 *   arguments
 * @property {string} reason message of the first failure; '' = none
 * @property {string} [failed] how the server failed; absent if it did not fail, or if the arguments may be
 *   invalid
 */

/**
 * Tries each operation once with each of its argument sets.
 *
 * @param {import('k6/x/mcp').StreamableHTTPClient} client
 * @param {Record<string, import('./workload.js').DocumentOperation>} operations
 * @param {number} timeoutS of a call
 * @param {(text: string) => void} say progress
 * @returns {string} `Answered` per operation, as JSON
 */
export function probeAll(client, operations, timeoutS, say) {
  const started = Date.now();
  const all = Object.entries(operations);
  let saidMs = started;
  const answers = all.map(([name, operation], index) => {
    if (Date.now() - saidMs > PROGRESS_S * 1000) {
      saidMs = Date.now();
      say(`trying ${index + 1} of ${all.length}: ${name}`);
    }
    const late = Date.now() - started > PROBES_S * 1000;
    const reason = `not tried: earlier operations used up the time limit of ${PROBES_S} s`;
    return [name, late ? { works: [], reason } : probe(client, name, operation, timeoutS)];
  });
  return harmlessJson(Object.fromEntries(answers));
}

/**
 * @param {import('k6/x/mcp').StreamableHTTPClient} client
 * @param {string} name
 * @param {import('./workload.js').DocumentOperation} operation
 * @param {number} timeoutS
 * @returns {Answered}
 */
function probe(client, name, { class: kind, method, params, arguments: variants, headers }, timeoutS) {
  const call = client.prepare(method, params, {
    tags: { operation: name, class: kind },
    timeout: timeoutS * 1000,
    ...(headers && { paramHeaders: headers }),
  });
  const started = Date.now();
  /** @type {number[]} */
  const works = [];
  let reason = '';
  let failed = '';
  for (const [index, args] of (variants ?? [undefined]).entries()) {
    if (Date.now() - started > OPERATION_S * 1000) {
      if (works.length === 0) break;
      // Keep the remaining sets untried. Otherwise a slow moment of the server would change the calls of
      // later runs.
      works.push(index);
      continue;
    }
    const answer = call.send(args);
    const { failure } = answer;
    if (!failure) works.push(index);
    else if (reason === '') {
      reason = oneLine(whyItFailed(failure, timeoutS), 200);
      failed = howTheServerFailed(answer, failure, timeoutS);
    }
    if (failure?.kind === 'timeout' || failure?.kind === 'connect') break;
  }
  return { works, reason, ...(failed && { failed }) };
}

/** @param {NonNullable<import('k6/x/mcp').Answer['failure']>} failure @param {number} timeoutS */
function whyItFailed({ kind, detail }, timeoutS) {
  if (kind === 'timeout') return `no answer within ${timeoutS} s`;
  return kind === 'tool' ? `call failed: ${detail}` : `call failed (${kind}): ${detail}`;
}

/**
 * @param {Pick<import('k6/x/mcp').Answer, 'status' | 'text'>} answer
 * @param {NonNullable<import('k6/x/mcp').Answer['failure']>} failure
 * @param {number} timeoutS
 * @returns {string} a few words, without text of the server; '' = the server is not at fault
 */
function howTheServerFailed({ status, text }, { kind, detail }, timeoutS) {
  if (status >= 400) return CALLER_ERRORS.includes(codeIn(text)) ? '' : `HTTP ${status}`;
  if (kind === 'timeout') return `no answer within ${timeoutS} s`;
  if (kind !== 'jsonrpc') return BROKEN[kind] ?? '';
  const code = Number.parseInt(detail, 10);
  return SERVER_ERRORS.includes(code) ? `JSON-RPC error ${code}` : '';
}

/**
 * @param {string} text the body of an answer with an error status
 * @returns {number} its JSON-RPC error code; NaN = none
 */
function codeIn(text) {
  try {
    return JSON.parse(text).error.code;
  } catch {
    return Number.NaN;
  }
}
