/**
 * The k6 script of cli/discovery. It lists what a server offers or, if OPERATIONS_FILE names operations,
 * checks that each of them can be called. It writes the result to FOUND_FILE and starts no load. Lines that
 * begin with `discovery: ` are progress.
 */

import { ConfigError } from '../contract/config-error.js';
import { abort, TARGET, USAGE } from './abort.js';
import { readConfig } from './config.js';
import { clientOptions, connect } from './connect.js';
import { checkCredentials } from './credentials.js';
import { askOffer } from './offer.js';
import { probeAll } from './probe.js';
import { withSecrets } from './secret-source.js';
import { TargetError } from './target-error.js';
import { dialOptions } from './target-host.js';
import { clientCertificates } from './tls.js';
import { USER_AGENT } from './user-agent.js';

const SETUP_S = 300;
/** Slower operations are not loaded by default. */
const PROBE_TIMEOUT_S = 5;

/** @param {unknown} error @returns {never} */
function end(error) {
  if (error instanceof ConfigError) abort(USAGE, error.message);
  if (error instanceof TargetError) abort(TARGET, error.message);
  throw error;
}

/** Runs in k6's init context, without the secrets of k6's secret source: only set-up can read those. */
function begin() {
  try {
    const config = readConfig(__ENV);
    if (config.dialect && config.dialect !== 'mcp') {
      throw new ConfigError(
        `TARGET_PROTOCOL is "${config.dialect}", which has no discovery; valid: with WORKLOAD=path, or TOOL and ARGS`,
      );
    }
    const { OPERATIONS_FILE: file } = __ENV;
    const operations = file ? JSON.parse(open(file)) : null;
    return { config, operations, tlsAuth: clientCertificates(config, open) };
  } catch (error) {
    return end(error);
  }
}

const { config, operations, tlsAuth } = begin();
// TOOL without ARGS: discover that tool only.
const named = config.TOOLS ?? (config.TOOL ? [config.TOOL] : null);
const timeoutS = named ? config.TARGET_TIMEOUT : Math.min(config.TARGET_TIMEOUT, PROBE_TIMEOUT_S);

export const options = {
  scenarios: { discovery: { executor: 'per-vu-iterations', vus: 1, iterations: 1, exec: 'nothing' } },
  setupTimeout: `${SETUP_S}s`,
  userAgent: USER_AGENT,
  ...dialOptions(config),
  ...(tlsAuth && { tlsAuth }),
};

export function nothing() {}

/** @param {string} text */
function say(text) {
  console.info(`discovery: ${text}`);
}

export async function setup() {
  try {
    const env = await withSecrets(__ENV);
    const complete = readConfig(env);
    checkCredentials(complete);
    const connected = connect(clientOptions(complete, 'mcp'), env);
    // A string, because k6 does not preserve the order of an object's members.
    const found = operations
      ? probeAll(connected.client, operations, timeoutS, say)
      : askOffer(connected, config, named, say);
    connected.client.close();
    return found;
  } catch (error) {
    return end(error);
  }
}

/** @param {any} data @returns {Record<string, string>} */
export function handleSummary({ setup_data: text }) {
  return text ? { [__ENV.FOUND_FILE || 'found.json']: text } : {};
}
