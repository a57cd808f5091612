#!/usr/bin/env node
/**
 * What Prometheus is to scrape for TARGET_METRICS, as a file of its file-based discovery, on stdout:
 *
 *   node scripts/target-metrics.js URL...
 *
 * Each address is asked first. Exit code 2 and one line where one can't be scraped.
 */
import { pathToFileURL } from 'node:url';

/** Longer than Prometheus waits for a scrape (2 s): a first answer may take more than all others. */
const TIMEOUT_MS = 5000;
const LISTED = 8;
/** A sample in Prometheus' text format; OpenMetrics' looks the same. */
const SAMPLE = /^[a-zA-Z_:][\w:]*(\{.*\})? +[-+\w.]+( +[\d.]+)?$/m;
const CADVISOR = /^cadvisor_version_info/m;
const CONTAINER = /^container_last_seen\{(.*)\} /gm;

export class MetricsError extends Error {}

/**
 * @typedef {{targets: string[], labels: Record<string, string>}} ScrapeGroup
 *
 * @param {string[]} urls http(s) URLs; a fragment names the container that a cAdvisor is asked for
 * @returns {Promise<ScrapeGroup[]>} the label `server` of all is the first one's host and port: what is seen at the others is of that server, too
 * @throws {MetricsError}
 */
export async function scrapeGroups(urls) {
  /** @type {ScrapeGroup[]} */
  const groups = [];
  for (const text of urls) {
    const url = parse(text);
    const container = decodeURIComponent(url.hash.slice(1));
    url.hash = '';
    await check(url, container);
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    const target = `${url.hostname}:${port}`;
    groups.push({
      targets: [target],
      labels: {
        server: groups[0]?.labels.server ?? target,
        __scheme__: url.protocol.slice(0, -1),
        __metrics_path__: url.pathname,
        ...Object.fromEntries([...url.searchParams].map(([name, value]) => [`__param_${name}`, value])),
        ...(container && { container }),
      },
    });
  }
  return groups;
}

/** @param {string} text @returns {URL} */
function parse(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  // Without the value, which may hold a password.
  if (url && (url.username || url.password)) {
    throw new MetricsError(
      'TARGET_METRICS has a user or password in it, which Prometheus would show to all who can look at it; valid: an ' +
        'address that answers without, such as a proxy on loopback that adds them',
    );
  }
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname) {
    throw new MetricsError(
      `TARGET_METRICS has "${text}"; valid: host:port/path or an http(s) URL, several with commas between`,
    );
  }
  return url;
}

/** @param {URL} url @param {string} container @throws {MetricsError} */
async function check(url, container) {
  const problem = await ask(url, container);
  // Without its parameters: a key may be among them.
  if (problem) throw new MetricsError(`TARGET_METRICS: ${url.origin}${url.pathname} ${problem}`);
}

/** @param {URL} url @param {string} container @returns {Promise<string>} what is wrong with it; '' for nothing */
async function ask(url, container) {
  /** @type {string} */
  let text;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (answer.status === 401 || answer.status === 403) {
      return `answers ${answer.status}: it wants credentials, which Prometheus is not given; valid: an address that answers without`;
    }
    if (!answer.ok)
      return `answers ${answer.status}; valid: an address with metrics in Prometheus' text format`;
    text = await answer.text();
  } catch (error) {
    return `can't be reached (${reason(error)}); valid: an address with metrics in Prometheus' text format${
      url.hostname === 'host.docker.internal'
        ? ', of a server that listens on all addresses, not on 127.0.0.1 alone'
        : ''
    }`;
  }
  if (!SAMPLE.test(text))
    return "has no metrics in Prometheus' text format; valid: often the path is /metrics";
  return CADVISOR.test(text) ? missingContainer(text, container) : '';
}

/** @param {string} text @param {string} container */
function missingContainer(text, container) {
  const seen = [...text.matchAll(CONTAINER)].map(([, labels = '']) => ({
    name: /(?:^|,)name="([^"]*)"/.exec(labels)?.[1] ?? '',
    id: /(?:^|,)id="([^"]*)"/.exec(labels)?.[1] ?? '',
  }));
  if (container && seen.some(({ name, id }) => name === container || id === container)) return '';
  const names = seen.map(({ name, id }) => name || id).filter((name) => name !== '/');
  const valid = `${names.slice(0, LISTED).join(', ')}${names.length > LISTED ? ' ...' : ''}`;
  const what = container ? `knows no container "${container}"` : 'tells of all containers, and none is named';
  return `${what}; valid: #name after the address, with a name of ${valid || 'none: it sees no container'}`;
}

/** @param {unknown} error */
function reason(error) {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer in ${TIMEOUT_MS / 1000} s`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return (
    /** @type {NodeJS.ErrnoException} */ (cause).code ??
    (cause instanceof Error ? cause.message : String(cause))
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    process.stdout.write(`${JSON.stringify(await scrapeGroups(process.argv.slice(2)), null, 2)}\n`);
  } catch (error) {
    if (!(error instanceof MetricsError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 2;
  }
}
