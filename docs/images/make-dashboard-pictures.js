/**
 * Makes a picture of a dashboard as the viewer shows it after a run, from the run's start to its end.
 *
 *   node docs/images/make-dashboard-pictures.js --testid spike-20260101T120000Z-abcd --output docs/images/overview.png
 *     --dashboard mcp-server   (default: mcp-overview)
 *     --theme light           (default: dark)
 *     --width 1920            (default: 1280)
 *     --height 900            (default: the whole page)
 *
 * Reads the run below RESULTS_DIR, and asks the Prometheus of PROMETHEUS_URL, or of RUN_DIR/stack.env.
 */
import { watchedPage } from '../../tests/browser/browser.js';
import { address, showAll, startViewer } from '../../tests/browser/stack-viewer.js';
import { runs } from '../../tests/stack/panel-queries.js';
import { pictureCommand } from './picture-command.js';

/** @type {{stop: () => unknown} | undefined} */
let viewer;
const OPTIONS = { testid: '', dashboard: 'mcp-overview' };
await pictureCommand(
  'make-dashboard-pictures',
  OPTIONS,
  async (browser, { testid, dashboard, theme, width }) => {
    const known = runs();
    const run = known.find((one) => one.testid === testid);
    if (!run) {
      const valid = known.map((one) => one.testid).join(', ') || 'a run, of which there is none';
      throw new Error(`--testid is "${testid}"; valid: ${valid}`);
    }
    const started = await startViewer();
    viewer = started;
    const watched = await watchedPage(browser, started.origin, { width });
    await watched.page.goto(started.origin + address(dashboard, run, { theme }));
    await showAll(watched.page);
    return watched;
  },
);
viewer?.stop();
