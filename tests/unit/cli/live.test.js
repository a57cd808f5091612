/** The live page: what it says of a run that goes on, and whom its server answers. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { LivePhases } from '../../../cli/live/live-phases.ts';
import { LiveRun } from '../../../cli/live/live-run.ts';
import { newestRun } from '../../../cli/live/newest-run.ts';
import { listen, liveServer } from '../../../cli/live/server.ts';
import { freePort, startCommand } from '../../lab.js';
import { beginRun, durationOf, writeSeconds } from './live-fixture.js';

const scratch = mkdtempSync(join(tmpdir(), 'live-'));
after(() => rmSync(scratch, { recursive: true }));

/** A Prometheus that knows one signal of two servers, and what it was asked. */
function prometheus() {
  /** @type {[fromS: number, toS: number][]} */
  const asked = [];
  const series = (/** @type {string} */ server, /** @type {number} */ value) => ({
    labels: { __name__: 'signal:pool_utilization:ratio', server },
    value,
  });
  return /** @type {any} */ ({
    asked,
    async queryRange(/** @type {string} */ _, /** @type {number} */ fromS, /** @type {number} */ toS) {
      asked.push([fromS, toS]);
      return [series('reference', 1), series('another', 0.1)].map(({ labels, value }) => ({
        labels,
        points: Array.from({ length: (toS - fromS) / 2 + 1 }, (_, index) => [fromS + 2 * index, value]),
      }));
    },
  });
}

test('before the first call, in the middle, and after the load', async () => {
  const folder = join(scratch, 'spike');
  const startedS = Math.floor(Date.now() / 1000) - 45;
  beginRun(folder);
  const source = prometheus();
  const run = new LiveRun(folder, source);
  const before = await run.page(startedS);
  assert.deepEqual([before.headline, before.plots], ['RUNNING: the load has not begun yet.', null]);

  writeSeconds(folder, {
    phase: 'baseline',
    startedS,
    fromS: startedS + 10,
    toS: startedS + 30,
    requests: 10,
    ms: 40,
  });
  const spike = { phase: 'spike', startedS, requests: 200, ms: 900, failed: 98 };
  writeSeconds(folder, { ...spike, fromS: startedS + 30, toS: startedS + 44 });
  const { headline, figures, plots, sections, about } = await run.page(startedS + 44);
  assert.match(
    headline,
    /^RUNNING: 0:44 of 0:50, 6 s left in spike, 200 of 200 requests\/s, p99 9\d\d ms, 49 % failed, pool utilization 100 %\.$/,
  );
  assert.deepEqual(
    figures.map(({ name, next }) => [name, next]),
    [
      ['Goodput, in spike', 'of 200/s requests, target 200/s'],
      ['p99, in baseline', 'limit < 85 ms'],
      ['Failure rate, in spike', '1,372 of 2,800 requests; no limit'],
    ],
  );
  assert.match(figures[1]?.value ?? '', /^(39|40)(\.\d)? ms$/);
  assert.deepEqual(about, ['spike-1', 'http://127.0.0.1:8000/mcp']);
  assert.deepEqual(
    plots?.phases.map(({ name, kind, toS }) => [name, kind, Math.round(toS)]),
    [
      ['warm-up', 'unmeasured', 10],
      ['baseline', 'measured', 30],
      ['spike', 'overload', 50],
    ],
  );
  assert.deepEqual(
    plots?.strip.map(({ id }) => id),
    ['strip-load', 'strip-latency', 'strip-resources'],
  );
  // Of the server under test alone.
  assert.ok(plots?.series.pool_utilization?.every((value) => value === 1));
  // The step that begins at the last point is not over.
  assert.deepEqual(plots?.series['client.failed']?.slice(-2), [0.49, null]);
  const [phases] = sections;
  assert.equal(phases?.tables?.[0]?.rows.length, 3);

  appendFileSync(
    join(folder, 'seconds.jsonl'),
    `${JSON.stringify({ at: startedS + 60, vus: 0, groups: {} })}\n`,
  );
  const ended = await run.page(startedS + 60);
  assert.equal(ended.headline, 'RUNNING: 01:00, the load has ended and is being judged.');
  // What it has is not asked for again.
  const [[firstS = 0, firstToS = 0] = [], [secondS = 0] = []] = source.asked;
  assert.ok(firstToS - firstS >= 30 && firstToS - secondS <= 10, JSON.stringify(source.asked));
});

test('an objective is missed as soon as the calls by now can not be reconciled with it', () => {
  const objectives = [
    { scope: { phase: 'baseline' }, metric: 'p99_ms', op: '<', limit: 85, min_samples: 100 },
    { scope: { phase: 'baseline' }, metric: 'failure_rate', op: '<', limit: 0.01 },
  ];
  const phase = { name: 'baseline', measured: true, start_s: 0, duration_s: 60 };
  const outcomes = (/** @type {{ms: number, requests: number, failed?: number}[]} */ ...seconds) => {
    const phases = new LivePhases();
    const groups = new Map([['1', { phase: 'baseline' }]]);
    for (const { ms, requests, failed = 0 } of seconds) {
      const durations = { ok: `${durationOf(ms)}*${requests.toString(36)}` };
      phases.take(
        '',
        /** @type {any} */ ({ at: 0, groups: { 1: { requests, failed, durations } } }),
        /** @type {any} */ (groups),
      );
    }
    const plan = /** @type {any} */ ({ objectives, phases: [phase] });
    return phases.thresholds(plan, phases.ofPlan(plan, 0, 1)).map(({ outcome }) => outcome);
  };
  assert.deepEqual(outcomes({ ms: 84, requests: 200 }), ['unjudged', 'unjudged']);
  assert.deepEqual(outcomes({ ms: 300, requests: 200, failed: 20 }), ['fail', 'fail']);
  assert.deepEqual(outcomes({ ms: 300, requests: 5, failed: 5 }), ['fail', 'fail']);
  // Two slow calls of 99 may be the 1 % that is allowed.
  assert.deepEqual(outcomes({ ms: 300, requests: 2, failed: 2 }, { ms: 10, requests: 97 }), [
    'unjudged',
    'unjudged',
  ]);
});

test('twenty minutes are shown of a run that goes on for longer, and all of it is counted', async () => {
  const folder = join(scratch, 'soak');
  const startedS = Math.floor(Date.now() / 1000) - 4000;
  const phases = [{ name: 'baseline', measured: true, start_s: 0, duration_s: 7200, offered_rps: 10 }];
  beginRun(folder, { phases });
  writeSeconds(folder, {
    phase: 'baseline',
    startedS,
    fromS: startedS,
    toS: startedS + 4000,
    requests: 10,
    ms: 40,
  });
  const { plots, sections } = await new LiveRun(folder, null).page(startedS + 4000);
  assert.equal(plots?.series['client.p99']?.length, 600);
  assert.equal(plots?.fromS, 4000 - 1199);
  assert.ok(JSON.stringify(sections).includes('"40,000"'));
});

test('a call that is answered late is drawn in the second in which it began', async () => {
  const folder = join(scratch, 'late');
  const startedS = Math.floor(Date.now() / 1000) - 60;
  beginRun(folder, {
    phases: [{ name: 'baseline', measured: true, start_s: 0, duration_s: 60, offered_rps: 10 }],
  });
  const load = { phase: 'baseline', startedS, requests: 10, ms: 40 };
  writeSeconds(folder, { ...load, fromS: startedS, toS: startedS + 30 });
  const live = new LiveRun(folder, null);
  const longest = (/** @type {any} */ { plots }) => Math.max(...(plots?.series['client.p99'] ?? []));
  assert.ok(longest(await live.page(startedS + 30)) < 41);
  const late = {
    at: startedS + 10,
    groups: { 2: { requests: 5, durations: { unanswered: `${durationOf(9000)}*5` } } },
  };
  appendFileSync(join(folder, 'seconds.jsonl'), `${JSON.stringify(late)}\n`);
  const page = await live.page(startedS + 31);
  assert.ok(longest(page) > 8900);
  assert.ok(JSON.stringify(page.sections).includes('> 9,'), 'p99 is a lower bound');
});

test('each k6 run of a test of several is a phase', async () => {
  const folder = join(scratch, 'chaos');
  const startedS = Math.floor(Date.now() / 1000) - 30;
  beginRun(folder);
  for (const [index, name] of ['pool-1', 'pool-2'].entries())
    writeSeconds(join(folder, name), {
      phase: 'baseline',
      startedS,
      fromS: startedS + 10 * index,
      toS: startedS + 10 * index + 9,
      requests: 10,
      ms: 40,
    });
  const { headline, plots } = await new LiveRun(folder, null).page(startedS + 20);
  assert.equal(headline, 'RUNNING: pool-2.');
  assert.deepEqual(
    plots?.phases.map(({ name }) => name),
    ['pool-1', 'pool-2'],
  );
});

test('a run that was ended from outside is not said to go on', async () => {
  const folder = join(scratch, 'dead');
  beginRun(folder);
  const { headline } = await new LiveRun(folder, null).page(Date.now() / 1000 + 300);
  assert.match(
    headline,
    /^ENDED: nothing has been written since \d\d:\d\d:\d\d UTC, and there is no verdict\.$/,
  );
});

test('the newest run is the one that began last, also where an older one was reported again', () => {
  const results = join(scratch, 'results');
  assert.equal(newestRun(results), null);
  for (const [name, atS] of /** @type {const} */ ([
    ['new', 2000],
    ['old', 1000],
  ])) {
    mkdirSync(join(results, name), { recursive: true });
    writeFileSync(join(results, name, 'plan.json'), '{}');
    writeFileSync(join(results, name, 'run.json'), '{}');
    utimesSync(join(results, name, 'plan.json'), atS, atS);
  }
  mkdirSync(join(results, 'nothing-in-it'));
  assert.equal(newestRun(results), join(results, 'new'));
});

const TOKEN = 'a-token';
const PAGE = /** @type {import('../../../page/model.ts').Page} */ ({
  outcome: 'running',
  headline: 'RUNNING.',
  title: 'x',
  reasons: [],
  about: [],
  figures: [],
  plots: null,
  findings: null,
  sections: [],
});

/** @param {number} port @param {string} path @param {Record<string, string>} [headers] @param {string} [method] */
const ask = (port, path, headers = {}, method = 'GET') =>
  new Promise(
    (/** @type {(answer: {status: number, body: string, headers: any}) => void} */ resolve, reject) => {
      request(
        { host: '127.0.0.1', port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } },
        (response) => {
          let body = '';
          response.on('data', (part) => (body += part));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
          );
        },
      )
        .on('error', reject)
        .end();
    },
  );

test('the server answers this machine, no other page, and tells of the run to who has the token', async (context) => {
  let made = 0;
  const server = liveServer(async () => {
    made += 1;
    return { ...PAGE, title: String(made) };
  }, TOKEN);
  const port = await listen(server, '0');
  context.after(() => server.close());
  const authorization = `Bearer ${TOKEN}`;
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  assert.equal(address.address, '127.0.0.1');

  const shell = await ask(port, '/');
  assert.equal(shell.status, 200);
  assert.ok(shell.body.includes('<main></main>') && !shell.body.includes(TOKEN));
  assert.match(shell.body, /connect-src &#39;self&#39;/);
  for (const [path, headers, status] of /** @type {[string, Record<string, string>, number][]} */ ([
    ['/page.json', {}, 401],
    ['/page.json', { authorization: 'Bearer another' }, 401],
    ['/page.json', { authorization, host: 'lab.example:80' }, 403],
    ['/page.json', { authorization, 'sec-fetch-site': 'cross-site' }, 403],
    ['/', { host: 'lab.example' }, 403],
    ['/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
    ['/../package.json', {}, 404],
  ])) {
    const answer = await ask(port, path, headers);
    assert.deepEqual(
      [answer.status, answer.body.includes('RUNNING')],
      [status, false],
      JSON.stringify([path, headers]),
    );
    assert.equal(answer.headers['content-security-policy'], "frame-ancestors 'none'");
  }
  assert.equal((await ask(port, '/page.json', { authorization }, 'POST')).status, 405);
  assert.equal(made, 0, 'nobody who was refused makes it work');

  const answers = await Promise.all(
    Array.from({ length: 5 }, () => ask(port, '/page.json', { authorization })),
  );
  for (const { body } of answers) assert.equal(JSON.parse(body).title, '1', 'once a second, whoever asks');
  const etag = answers[0]?.headers.etag;
  assert.equal((await ask(port, '/page.json', { authorization, 'if-none-match': etag })).status, 304);
});

test('a port that is none, or taken, is said in one line', async (context) => {
  const server = liveServer(async () => PAGE, TOKEN);
  context.after(() => server.close());
  await assert.rejects(listen(server, 'a\nb'), /^Error: PORT is "a\\?.?.?b?.*"; valid: a port, 0 to 65535$/);
  const port = await listen(server, '');
  assert.ok(port >= 3001);
  const other = liveServer(async () => PAGE, TOKEN);
  await assert.rejects(
    listen(other, String(port)),
    new RegExp(`^Error: PORT is ${port}, which is in use; valid: a free port$`),
  );
  context.after(() => other.close());
  assert.ok((await listen(other, '')) > port);
});

test('on this host LIVE_LISTEN_HOST opens the page to no other address', async () => {
  const words = ['cli/main.ts', 'live', `PORT=${await freePort()}`];
  const env = { RUN_DIR: join(scratch, 'run'), RESULTS_DIR: scratch, LIVE_LISTEN_HOST: '127.0.0.9' };
  /** @type {{promise: Promise<string>, resolve: (url: string) => void}} */
  const { promise, resolve } = Promise.withResolvers();
  const { child, ended } = startCommand('node', words, env, (output) => {
    const url = /^http:\S+$/m.exec(output)?.[0];
    if (url) resolve(url);
  });
  try {
    const url = await Promise.race([promise, ended.then(({ output }) => output)]);
    assert.equal((await fetch(url)).status, 200);
  } finally {
    child.kill('SIGINT');
    await ended;
  }
});
