/**
 * The client in lib/mcp/ and the module k6/x/mcp, side by side: whatever a server answers, they have the same samples with the same tags.
 * What differs is listed here.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { command } from '../lab.js';
import { scratchFolder } from '../scratch.js';
import { toolPath } from '../tool.js';
import { PATHS, startFailingServer } from './failing-server.js';
import { startScriptedServer } from './scripted-server.js';

/** What is another kind of failure now: those that are cut off after they began, that exceed a limit, or are not let in. */
const OTHER_KIND = {
  'timeout-half': 'stalled',
  'timeout-drip': 'stalled',
  'timeout-length-too-long': 'stalled',
  'timeout-sse': 'stalled',
  'timeout-sse-comments': 'stalled',
  'timeout-sse-notifications': 'stalled',
  // A reply ends its call, and not its stream.
  'timeout-sse-after-reply': 'ok',
  'connect-huge-header': 'too_large',
  'connect-gzip-cut': 'protocol',
  'protocol-50-mb': 'too_large',
  'protocol-50-mb-chunked': 'too_large',
  'protocol-50-mb-sse': 'too_large',
  'protocol-50-mb-gzip': 'too_large',
  'protocol-nested-open': 'too_large',
  // 100,000 deep.
  'ok-nested': 'too_large',
  'http_4xx-401': 'auth',
};
/** Whether these reach the limit on bytes or on time first depends on the machine. */
const FLOODS = ['timeout-sse-flood', 'timeout-sse-line'];
/** Their names now. */
const RENAMED = { mcp_refused: 'mcp_rejected', mcp_further_requests: 'mcp_additional_requests' };
/** The time of a failure is k6's own timestamp of the sample; a stream's events were not measured. */
const ONE_ONLY = ['mcp_failure_seconds', 'mcp_time_to_first_event', 'mcp_event_gap'];
/** Its tags were those of the request before it. */
const OTHER_TAGS = 'mcp_session_duration';

/** @type {Awaited<ReturnType<typeof startFailingServer>>} */
let failing;
/** @type {Awaited<ReturnType<typeof startScriptedServer>>} */
let scripted;
before(async () => {
  [failing, scripted] = await Promise.all([startFailingServer(), startScriptedServer()]);
});
after(() => Promise.all([failing.close(), scripted.close()]));

/** @param {string[] | undefined} samples @returns {string[]} */
const kindsOf = (samples = []) =>
  samples.flatMap((sample) =>
    sample.startsWith('mcp_failures ') ? (/"kind","(\w+)"/.exec(sample)?.[1] ?? '') : [],
  );

/** @param {'js' | 'go'} client @returns {Promise<Record<string, string[]>>} samples by path, without times */
async function samplesOf(client) {
  const calls = [
    ...PATHS.filter((path) => !FLOODS.includes(path)).map((path) => ({
      url: `${failing.url}/${path}`,
      path,
      version: '2026-07-28',
    })),
    ...['2025-03-26', 'amnesia', 'odd-sse', 'resumes'].map((path) => ({
      url: `${scripted.url}/${path}`,
      path,
      version: path === '2025-03-26' ? path : '2025-11-25',
    })),
  ].map((call) => ({ ...call, timeoutS: call.path.startsWith('timeout') ? 5 : 60 }));
  const file = join(scratchFolder(), `${client}.json`);
  const { code, output } = await command(
    toolPath('k6-mcp'),
    ['run', '--quiet', '--address', '', '--out', `json=${file}`, 'tests/k6/clients.js'],
    { CALLS: JSON.stringify(calls), CLIENT: client },
  );
  assert.equal(code, 0, output);
  const points = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const times = new Set(
    points
      .filter(({ type, data }) => type === 'Metric' && data.contains === 'time')
      .map(({ metric }) => metric),
  );
  /** @type {Record<string, string[]>} */
  const samples = {};
  for (const { type, metric, data } of points) {
    if (type !== 'Point' || !metric.startsWith('mcp_') || ONE_ONLY.includes(metric)) continue;
    const { path, ...tags } = data.tags;
    // A server's requests were not answered.
    if (tags.method === 'response') continue;
    const name = RENAMED[/** @type {keyof typeof RENAMED} */ (metric)] ?? metric;
    const pairs = metric === OTHER_TAGS ? [] : Object.entries(tags).sort();
    const list = samples[path] ?? [];
    list.push(`${name} ${JSON.stringify(pairs)} ${times.has(metric) ? '' : data.value}`);
    samples[path] = list;
  }
  for (const list of Object.values(samples)) list.sort();
  return samples;
}

test('the same samples, with the same tags', async () => {
  const [js, go] = [await samplesOf('js'), await samplesOf('go')];
  assert.deepEqual(Object.keys(go).sort(), Object.keys(js).sort());
  assert.ok(Object.keys(js).length > 100);
  for (const [path, samples] of Object.entries(js)) {
    const kind = OTHER_KIND[/** @type {keyof typeof OTHER_KIND} */ (path)];
    if (kind) assert.deepEqual(kindsOf(go[path]), kind === 'ok' ? [] : [kind, kind, kind], path);
    // On a busy machine the client in lib/mcp/ asks for the rest of a stream more than once: it cannot see whether anything came.
    else if (path === 'resumes') assert.deepEqual(new Set(go[path]), new Set(samples), path);
    else assert.deepEqual(go[path], samples, path);
  }
});
