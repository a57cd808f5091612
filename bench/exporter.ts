/**
 * `make bench-exporter`: measures the CPU cost of watching a server's processes with CONNECTIONS open connections. A
 * separate process holds them. The exporter is scraped every two seconds, as by Prometheus.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { toolPath } from '../cli/tool-path.ts';
import { freePort } from '../contract/free-port.js';
import { judge } from './figures.ts';
import { Bench, count } from './harness.ts';

const SCRAPE_S = 2;
/** Limit, as a share of one core. */
const LIMIT = 0.02;
/** Clock ticks per second in /proc. */
const TICKS = 100;

/** CPU seconds of a process, user and system. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

if (process.send) {
  const server = createServer(() => {}).listen(0, '127.0.0.1', 4096, () => {
    const { port } = server.address() as AddressInfo;
    // An outgoing connection makes the exporter also check connections between scrapes.
    connect(port, '127.0.0.1', () => process.send?.(port));
  });
} else {
  await Bench.run(async (bench) => {
    const connections = count('CONNECTIONS', 2000);
    const scrapes = count('SCRAPES', 15);
    const server = fork(fileURLToPath(import.meta.url));
    bench.defer(() => {
      server.kill();
    });
    const [port] = await once(server, 'message');
    for (let open = 1; open < connections; open += 1) await once(connect(port, '127.0.0.1'), 'connect');
    const listen = `127.0.0.1:${await freePort()}`;
    const url = `http://${listen}/metrics`;
    const args = ['-listen', listen, '-target', `127.0.0.1:${port}`];
    const exporter = await bench.start('the exporter', { file: toolPath('exporter'), args, url });
    const [before, sinceMs] = [cpuOf(exporter.pid), performance.now()];
    for (let scrape = 0; scrape < scrapes; scrape += 1) {
      await (await fetch(url)).text();
      await sleep(SCRAPE_S * 1000);
    }
    const share = (cpuOf(exporter.pid) - before) / ((performance.now() - sinceMs) / 1000);
    // The server has accepted all connections by now.
    const seen = await (await fetch(url)).text();
    const watched = Number(/^target_connections_in (\d+)$/m.exec(seen)?.[1]);
    if (watched !== connections)
      throw new Error(`the exporter sees ${watched} of ${connections} connections`);
    const cells = [String(watched), (100 * share).toFixed(2), (100 * LIMIT).toFixed(2)];
    const head = ['connections', 'CPU of the exporter, % of one core', 'limit'];
    return judge(head, [{ cells, holds: share <= LIMIT }]);
  });
}
