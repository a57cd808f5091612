/** When a server that the pipeline starts is ready. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotReady, startServer } from '../../../cli/server.ts';
import { freePort } from '../../../contract/free-port.js';

/** Above 1023, which fetch refuses: https://fetch.spec.whatwg.org/#port-blocking */
const REFUSED = [
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10_080,
];

const folder = mkdtempSync(join(tmpdir(), 'pipeline-server-'));
after(() => rmSync(folder, { recursive: true }));

/** @param {number} port @param {number} status @param {boolean} exact @param {number} [withinS] */
function start(port, status, exact, withinS = 20) {
  const serve = `(_, answer) => answer.writeHead(${status}).end()`;
  const script = `require("node:http").createServer(${serve}).listen(${port}, "127.0.0.1")`;
  return startServer({
    command: `exec node -e '${script}'`,
    url: `http://127.0.0.1:${port}/`,
    exact,
    withinS,
    log: join(folder, 'server.log'),
    variables: [],
    secrets: [],
    signal: new AbortController().signal,
  });
}

test('a server is ready on a port that fetch would refuse, and with 2xx alone where that is asked for', async () => {
  const port = await Promise.any(REFUSED.map(freePort));
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`), ({ cause }) => /bad port/.test(cause.message));
  const server = await start(port, 200, true);
  assert.equal(await server.stop(), null);
  await assert.rejects(start(port, 405, true, 2), NotReady);
  await (await start(port, 405, false)).stop();
});

test("the server has no secret of the run and none of the pipeline's files, but what is named for it", async (t) => {
  const names = [
    ...[
      'PROMETHEUS_PASSWORD',
      'K6_PROMETHEUS_RW_PASSWORD',
      'TARGET_TOKEN',
      'TARGET_HEADERS',
      'OAUTH_CLIENT_SECRET',
    ],
    ...['GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_TOKEN', 'CI_JOB_TOKEN', 'NPM_TOKEN', 'DATABASE_URL'],
  ];
  t.after(() => {
    for (const name of names) delete process.env[name];
  });
  for (const name of names) process.env[name] = 's3same';
  const { CALLER_PATH } = process.env;
  t.after(() => {
    process.env.CALLER_PATH = CALLER_PATH;
  });
  process.env.CALLER_PATH = '/of-the-caller';
  const port = await freePort();
  const log = join(folder, 'environment.log');
  const serve = '(_, answer) => answer.writeHead(200).end(JSON.stringify(process.env))';
  const script = `require("node:http").createServer(${serve}).listen(${port}, "127.0.0.1")`;
  const server = await startServer({
    command: `exec node -e '${script}'`,
    url: `http://127.0.0.1:${port}/`,
    ...{
      exact: true,
      withinS: 20,
      log,
      variables: ['DATABASE_URL'],
      secrets: [],
      signal: new AbortController().signal,
    },
  });
  /** @type {any} */
  const environment = await (await fetch(`http://127.0.0.1:${port}/`)).json();
  await server.stop();
  assert.equal(environment.PATH, `/of-the-caller:${process.env.PATH}`);
  assert.deepEqual(
    Object.keys(environment).filter((name) => environment[name] === 's3same'),
    ['DATABASE_URL'],
  );
});

test('its last words are in its log; what a process says that outlives it is not, and harms nobody', async () => {
  const port = await freePort();
  const own = mkdtempSync(join(folder, 'own-'));
  const log = join(own, 'server.log');
  const serve = `require("node:http").createServer((_, answer) => answer.end()).listen(${port}, "127.0.0.1")`;
  const end = 'process.once("SIGTERM", () => process.stdout.write("good bye\\n", () => process.exit()))';
  const server = await startServer({
    command: `setsid sh -c 'for i in $(seq 40); do sleep 0.05; echo still here; done' & exec node -e '${serve}; ${end}'`,
    url: `http://127.0.0.1:${port}/`,
    ...{ exact: true, withinS: 20, log, variables: [], secrets: [], signal: new AbortController().signal },
  });
  await server.stop();
  assert.match(readFileSync(log, 'utf8'), /^good bye$/m);
  rmSync(own, { recursive: true });
  await sleep(300);
});
