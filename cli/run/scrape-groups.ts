/** Converts TARGET_METRICS to a document for Prometheus' file-based service discovery. */

import { bytes } from '../../contract/units.js';

/** Longer than the scrape timeout of Prometheus (2 s): a first answer can take longer than later ones. */
const TIMEOUT_MS = 5000;
/** Decompressed size. The scrape job `custom` has the same limit (provisioning/prometheus/prometheus.yml). */
export const MAX_BYTES = 64 * 1024 * 1024;
const LISTED = 8;
/** A sample in the text format of Prometheus or in OpenMetrics. */
const SAMPLE = /^[a-zA-Z_:][\w:]*(\{.*\})? +[-+\w.]+( +[\d.]+)?$/m;
const CADVISOR = /^cadvisor_version_info/m;
const CONTAINER = /^container_last_seen\{(.*)\} /gm;

export class MetricsError extends Error {}

export interface ScrapeGroup {
  targets: string[];
  labels: Record<string, string>;
}

/**
 * The fragment of a URL names a container of a cAdvisor. The label `server` of all groups is the host and
 * port of the first URL: the metrics of all URLs are about that server.
 *
 * @throws {MetricsError}
 */
export async function scrapeGroups(urls: string[]): Promise<ScrapeGroup[]> {
  const groups: ScrapeGroup[] = [];
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

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  // The message does not show the URL, because it contains a password.
  if (url && (url.username || url.password)) {
    throw new MetricsError(
      'TARGET_METRICS contains a user name or password, which Prometheus would show to all its users; valid: an ' +
        'address without credentials, such as a proxy on loopback that adds them',
    );
  }
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname) {
    throw new MetricsError(
      `TARGET_METRICS has "${text}"; valid: host:port/path or an http(s) URL; separate several with commas`,
    );
  }
  return url;
}

async function check(url: URL, container: string) {
  const problem = await ask(url, container);
  // The message does not show the query, which may contain a key.
  if (problem) throw new MetricsError(`TARGET_METRICS: ${url.origin}${url.pathname} ${problem}`);
}

/** Returns the problem with the address, or ''. */
async function ask(url: URL, container: string): Promise<string> {
  let text: string;
  try {
    // Do not follow redirects: the server must not choose the address.
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' });
    if (answer.status === 401 || answer.status === 403) {
      return `answers ${answer.status}: it requires credentials, which are not supported; valid: an address without authentication`;
    }
    if (!answer.ok)
      return `answers ${answer.status}; valid: an address with metrics in Prometheus' text format`;
    const read = await readBounded(answer);
    if (read === null)
      return `has more than ${bytes(MAX_BYTES)} of metrics, the limit of Prometheus; valid: fewer metrics`;
    text = read;
  } catch (error) {
    return `cannot be reached (${reason(error)}); valid: an address with metrics in Prometheus' text format${
      url.hostname === 'host.docker.internal'
        ? ', on a server that listens on all addresses, not only on 127.0.0.1'
        : ''
    }`;
  }
  if (!SAMPLE.test(text)) return "has no metrics in Prometheus' text format; the path is often /metrics";
  return CADVISOR.test(text) ? missingContainer(text, container) : '';
}

/** Returns null for more than MAX_BYTES: a small answer may decompress to any size. */
async function readBounded(answer: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the problem with the container's name, or ''. */
function missingContainer(text: string, container: string): string {
  const seen = [...text.matchAll(CONTAINER)].map(([, labels = '']) => ({
    name: /(?:^|,)name="([^"]*)"/.exec(labels)?.[1] ?? '',
    id: /(?:^|,)id="([^"]*)"/.exec(labels)?.[1] ?? '',
  }));
  if (container && seen.some(({ name, id }) => name === container || id === container)) return '';
  const names = seen.map(({ name, id }) => name || id).filter((name) => name !== '/');
  const valid = `${names.slice(0, LISTED).join(', ')}${names.length > LISTED ? ' ...' : ''}`;
  const what = container
    ? `knows no container "${container}"`
    : 'returns metrics of all containers, but no container is selected';
  return `${what}; valid: #name after the address, with one of ${valid || 'no names: it sees no container'}`;
}

function reason(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer in ${TIMEOUT_MS / 1000} s`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : String(cause));
}
