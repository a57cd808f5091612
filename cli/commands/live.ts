/** Opens the live page of a run, or Grafana's dashboards if the stack has Grafana. */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { Prometheus } from '../../analysis/collect/prometheus.ts';
import { folderOf, runIn } from '../../analysis/report/report-again.ts';
import { pageOfRun } from '../../analysis/report/run-page.ts';
import { UsageError } from '../../analysis/usage-error.ts';
import type { Page } from '../../page/model.ts';
import { whileTaking } from '../child.ts';
import { broken, usage } from '../ending.ts';
import { LiveRun } from '../live/live-run.ts';
import { newestRun } from '../live/newest-run.ts';
import { listen, liveServer } from '../live/server.ts';
import { logProgress } from '../log-progress.ts';
import { bringUp, loadStack, ownRunFolder, ROOT, resultsFolder, runFolder, stackValue } from '../stack.ts';
import { takeWords } from '../variables.ts';

const TOKEN_BYTES = 18;
/**
 * The project's path in the image (Dockerfile). In a container the page listens on all addresses; one port is
 * published on loopback.
 */
const ROOT_IN_IMAGE = '/opt/mcp-load-lab';
/** Margin before and after a run, so that its first and last points are visible. */
const MARGIN_MS = 15_000;

/** Serves the page until a signal arrives. */
export async function live(words: readonly string[]): Promise<number> {
  takeWords('live', words);
  await ownRunFolder();
  const { RUN = '', PORT = '', LIVE_LISTEN_HOST } = process.env;
  const wanted = RUN && folderOf(RUN, resultsFolder());
  const pages = new Pages(() => wanted || newestRun(resultsFolder()));
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const server = liveServer(() => pages.now(), token);
  const port = await listen(server, PORT, ROOT === ROOT_IN_IMAGE ? LIVE_LISTEN_HOST : undefined).catch(
    (error) => {
      throw usage(error.message);
    },
  );
  const url = `http://127.0.0.1:${port}/#token=${token}`;
  process.stdout.write(`${url}\n`);
  logProgress(`${wanted || 'The newest run'}, during and after the run. Press Ctrl-C to stop.`);
  browse(url);
  await new Promise<void>((resolve) => {
    void whileTaking(
      () => resolve(),
      () => new Promise(() => {}),
    );
  });
  server.closeAllConnections();
  server.close();
  return 0;
}

/** The page of the current run. */
class Pages {
  readonly #folder: () => string | null;
  #shown: { folder: string; live: LiveRun } | null = null;
  #last: { judgedMs: number; page: Page } | null = null;

  constructor(folder: () => string | null) {
    this.#folder = folder;
  }

  async now(): Promise<Page> {
    const folder = this.#folder();
    if (!folder) return NOTHING;
    if (this.#shown?.folder !== folder) {
      this.#shown = { folder, live: new LiveRun(folder, prometheus()) };
      this.#last = null;
    }
    const judgedMs = statSync(join(folder, 'run.json'), { throwIfNoEntry: false })?.mtimeMs;
    if (judgedMs === undefined) return await this.#shown.live.page();
    if (this.#last?.judgedMs !== judgedMs) this.#last = { judgedMs, page: judgedPage(folder) };
    return this.#last.page;
  }
}

function judgedPage(folder: string): Page {
  try {
    const { run, timeline } = runIn(folder);
    return pageOfRun(run, timeline);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...NOTHING, outcome: 'error', headline: `ERROR: ${error.message}.`, about: [] };
  }
}

const NOTHING: Page = {
  outcome: 'running',
  headline: 'WAITING for a run.',
  title: 'mcp-load-lab',
  reasons: [],
  about: ['Run make spike in another terminal.'],
  figures: [],
  plots: null,
  findings: null,
  sections: [],
};

/** The stack's Prometheus, or the one set in the environment. */
function prometheus(): Prometheus | null {
  if (existsSync(join(runFolder(), 'stack.env'))) loadStack();
  const { PROMETHEUS_URL } = process.env;
  return PROMETHEUS_URL ? new Prometheus(PROMETHEUS_URL, { timeoutMs: 2000, tries: 1 }) : null;
}

/** Shows the newest run in Grafana, or live data if there is no run. */
export async function dashboards(words: readonly string[]): Promise<number> {
  takeWords('dashboards', words);
  await ownRunFolder();
  if (!process.env.PROMETHEUS_URL) await bringUp('observe');
  const { GRAFANA_URL } = process.env;
  if (!GRAFANA_URL) {
    logProgress('Grafana is not available; showing the live page instead.');
    return await live([]);
  }
  const url = `${GRAFANA_URL}/d/mcp-overview${timeRange()}`;
  process.stdout.write(`${url}\n`);
  if (stackValue('STACK') === 'native')
    logProgress(
      `To edit dashboards in Grafana, sign in as admin; the password is GRAFANA_ADMIN_PASSWORD in ${runFolder()}/secrets.env`,
    );
  browse(url);
  return 0;
}

/** Time range of the newest run if it is over; otherwise the dashboard's default, the last minutes. */
function timeRange(): string {
  const folder = newestRun(resultsFolder());
  if (!folder || !existsSync(join(folder, 'run.json'))) return '';
  const { testid, started, ended } = runIn(folder).run;
  if (!started || !ended) return '';
  return `?${new URLSearchParams({
    'var-testid': testid,
    from: String(Date.parse(started) - MARGIN_MS),
    to: String(Date.parse(ended) + MARGIN_MS),
  })}`;
}

/**
 * Opens a browser, if there is a display. Passes the URL in a file, because all users can read a command's
 * arguments.
 */
function browse(url: string) {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (!DISPLAY && !WAYLAND_DISPLAY) return;
  const file = join(runFolder(), 'open.html');
  try {
    // The mode applies only to new files: an existing file keeps its mode.
    rmSync(file, { force: true });
    writeFileSync(
      file,
      `<!doctype html><meta http-equiv="refresh" content="0;url=${url.replaceAll('&', '&amp;')}">\n`,
      { mode: 0o600, flag: 'wx' },
    );
  } catch (error) {
    throw broken(`${file} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
  void execa('xdg-open', [file], { stdio: 'ignore', reject: false, detached: true, cleanup: false });
}
