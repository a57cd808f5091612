/** A Prometheus of a test's own, with the project's configuration and rules, that scrapes what it is told to. */

import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Prometheus } from '../../analysis/collect/prometheus.ts';
import { scrapeGroups } from '../../cli/run/scrape-groups.ts';
import { startServer } from '../../cli/trials/server-process.ts';
import { freePort } from '../lab.js';
import { provideConfig } from '../prometheus-config.js';
import { toolPath } from '../tool.js';

const PROVISIONING = 'provisioning/prometheus';
/** So long a busy machine may take until all is there. */
const SETTLED_S = 60;

/** @typedef {Awaited<ReturnType<typeof startWatching>>} Watch */

/** With node_exporter, of which the rules take the machine's cores. */
export async function startWatching() {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-load-lab-watch-'));
  const targets = join(folder, 'targets');
  mkdirSync(targets);
  symlinkSync(resolve(PROVISIONING, 'rules'), join(folder, 'rules'));
  const program = toolPath('prometheus');
  provideConfig('prometheus', program, join(folder, 'prometheus.yml'));
  // The configuration has Prometheus send one; nobody here asks for it.
  for (const who of ['prometheus', 'exporters']) writeFileSync(join(folder, `${who}.password`), 'unused');
  const [port, nodePort] = [await freePort(), await freePort()];
  const node = await startServer('node_exporter', {
    file: toolPath('node_exporter'),
    args: [`--web.listen-address=127.0.0.1:${nodePort}`],
    url: `http://127.0.0.1:${nodePort}/metrics`,
  });
  writeFileSync(join(targets, 'node.json'), JSON.stringify([{ targets: [`127.0.0.1:${nodePort}`] }]));
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer('Prometheus', {
    file: program,
    args: [
      ...readFileSync(`${PROVISIONING}/flags`, 'utf8')
        .split('\n')
        .filter((flag) => flag.startsWith('--')),
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    url,
    ready: `${url}/-/ready`,
    status: 200,
  });
  const prometheus = new Prometheus(url);

  return {
    url,

    /**
     * As TARGET_METRICS does it.
     *
     * @param {string} name of the file
     * @param {string[]} addresses
     * @returns {Promise<string>} the label `server`
     */
    async scrape(name, addresses) {
      const groups = await scrapeGroups(addresses);
      writeFileSync(join(folder, 'new'), JSON.stringify(groups));
      renameSync(join(folder, 'new'), join(targets, `custom-${name}.json`));
      return groups[0]?.labels.server ?? '';
    },

    /**
     * @param {string} server
     * @param {string[]} wanted as `<source> <signal or detail>`
     * @returns {Promise<Record<string, number>>} `<source> <name>[ <label>]` -> its value, once all that is wanted has been there for as long as rules look back
     */
    async signals(server, wanted) {
      const deadline = Date.now() + SETTLED_S * 1000;
      let complete = 0;
      for (;;) {
        const now = Date.now();
        const samples = await prometheus.query(
          `{__name__=~"(signal|detail):.+", server="${server}"}`,
          now / 1000,
        );
        const values = Object.fromEntries(
          samples.map(({ labels: { __name__: name = '', source, server: _, ...label }, value }) => [
            [source, name.replace(/^signal:/, ''), ...Object.values(label)].join(' '),
            value,
          ]),
        );
        if (wanted.some((one) => !(one in values))) complete = now + 8000;
        if (now > deadline || (complete !== 0 && now > complete)) return values;
        if (complete === 0) complete = now;
        await sleep(500);
      }
    },

    async stop() {
      await server.stop();
      await node.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Separates the scrapes in a recording. */
const NEXT = /^# scrape .*\n/m;

/**
 * Answers each GET with the next scrape of a recording, and from its end on with the last one.
 *
 * @param {string} file
 */
export async function replay(file) {
  const [head = '', ...scrapes] = readFileSync(file, 'utf8').split(NEXT);
  if (scrapes.length === 0) throw new Error(`${file} has no scrape: ${head}`);
  let asked = 0;
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/plain; version=0.0.4');
    response.end(scrapes[Math.min(asked++, scrapes.length - 1)]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/metrics`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
