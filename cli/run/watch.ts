/**
 * Scraping of servers other than the reference target: their own metrics, and the process metrics of
 * exporter/.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { writeAtomic } from '../../analysis/write-atomic.ts';
import { isProgram, shownTarget } from '../../contract/command-line.js';
import { freePort, hiddenHost } from '../../contract/free-port.js';
import { plainEnvironment, tied } from '../child.ts';
import { usage } from '../ending.ts';
import { logProgress } from '../log-progress.ts';
import { hasProgram } from '../setup/part.ts';
import { ROOT, setUp, stackKind } from '../stack.ts';
import { toolPath } from '../tool-path.ts';
import { MetricsError, type ScrapeGroup, scrapeGroups } from './scrape-groups.ts';

/**
 * Address of the exporter that scripts/docker.sh started for TARGET_CONTAINER or for the container of
 * TARGET_COMMAND.
 */
const IN_DOCKER = 'watched:9102';

/** Checks the addresses of TARGET_METRICS. @throws {Ending} if one cannot be scraped */
export async function askMetrics(): Promise<ScrapeGroup[]> {
  const addresses = (process.env.TARGET_METRICS ?? '')
    .split(',')
    .map((address) => address.replace(/\s/g, ''));
  if (addresses.join('') === '') return [];
  try {
    return await scrapeGroups(
      addresses.map((address) => (address.includes('://') ? address : `http://${address}`)),
    );
  } catch (error) {
    if (error instanceof MetricsError) throw usage(error.message);
    throw error;
  }
}

/**
 * Makes the stack's Prometheus scrape the groups, if it reads targets from a folder, until the returned
 * function is called.
 */
export function scrape(groups: readonly ScrapeGroup[], name: string): () => void {
  const { PROMETHEUS_TARGETS_DIR: folder } = process.env;
  if (!folder) return () => {};
  const file = join(folder, name);
  writeAtomic(file, `${JSON.stringify(groups, null, 2)}\n`);
  return () => rmSync(file, { force: true });
}

/**
 * Makes the run use the scraped server's signals, until the returned function is called. Requires a loaded
 * stack.
 */
export function startScraping(groups: ScrapeGroup[], name: string): () => void {
  if (groups.length === 0) return () => {};
  process.env.WATCHED_SERVER = groups[0]?.labels.server ?? '';
  return scrape(groups, `custom-${name}.json`);
}

/**
 * Starts the exporter for the processes of another server, until the returned function is called. It watches
 * a server on this host or, in Docker, TARGET_CONTAINER.
 */
export async function startExporter(name: string): Promise<() => void> {
  const { TARGET_URL = '', TARGET_CONTAINER, STDIO_RUNNER, TARGET_PID, PROMETHEUS_TARGETS_DIR } = process.env;
  if (!PROMETHEUS_TARGETS_DIR || !URL.canParse(TARGET_URL)) return () => {};
  const { hostname, host, port, protocol } = new URL(TARGET_URL);
  const ofProgram = isProgram(TARGET_URL);
  let address = IN_DOCKER;
  let end = () => {};
  if (!TARGET_CONTAINER && !STDIO_RUNNER) {
    if (stackKind() !== 'native' || !/^(127\.[\d.]+|localhost|\[::1\])$/.test(hostname)) return () => {};
    // The image has neither Go nor the exporter's source.
    if (!existsSync(join(ROOT, 'exporter')) || !(hasProgram('go') || existsSync(toolPath('exporter')))) {
      logProgress(
        "the server's processes are not monitored: building the exporter needs Go (https://go.dev/dl)",
      );
      return () => {};
    }
    await setUp('exporter');
    address = `${hiddenHost()}:${await freePort()}`;
    const target = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
    const pid = TARGET_PID ? ['-pid', TARGET_PID] : [];
    const watched = ofProgram ? ['-generator', String(process.pid)] : ['-target', target, ...pid];
    const [file = '', ...args] = tied([toolPath('exporter'), '-listen', address, ...watched]);
    const exporter = execa(file, args, {
      stdio: 'ignore',
      env: plainEnvironment(),
      extendEnv: false,
      detached: true,
      reject: false,
    });
    end = () => exporter.kill();
  }
  process.env.WATCHED_SERVER ||= ofProgram ? shownTarget(TARGET_URL) : host;
  const groups = [{ targets: [address], labels: { server: process.env.WATCHED_SERVER } }];
  const unscrape = scrape(groups, `process-${name}.json`);
  return () => {
    unscrape();
    end();
  };
}
