import { basename, join, resolve } from 'node:path';
import { cleanDeep, cleanText, secretsOf } from './clean-text.js';
import { environment } from './environment.js';
import { mergeHostWatch, readHostWatches } from './host-watch-series.js';
import { readK6Log } from './k6-log.js';
import { readLegLogs, readLegSummaries, readLegs } from './legs.js';
import { observe } from './observe.js';
import { increaseOf, Prometheus } from './prometheus.js';
import { findingSamples } from './publish-findings.js';
import { wantsColours } from './render/colours.js';
import { renderTerminal } from './render/terminal.js';
import { writeReports } from './report/write-reports.js';
import { makeTables } from './report-tables.js';
import { makeRun } from './run.js';
import { logLine } from './run-log.js';
import { secondsOf, withSeconds } from './seconds.ts';
import { readSummary } from './summary.js';
import { targetKnobs } from './target-knobs.js';
import { writeAtomic } from './write-atomic.js';

/** The label of the rules that watch the stack's own target. */
const REFERENCE = 'reference';

/** Nobody waits longer for what dashboards alone need. */
const PUBLISH_MS = 3_000;

/**
 * Makes everything that a run leaves beside k6's own output: collect, judge, render. Its terminal report is printed.
 *
 * @param {object} run
 * @param {string} run.directory of its results
 * @param {number} run.k6Exit
 * @param {string | null} run.prometheus null: it can't be asked
 * @param {string} run.server the label of the rules that watch the server under test
 * @param {string} run.knobs of the reference target, `NAME=value` words: those that are not at their defaults
 * @param {Record<string, string | null>} [run.variables] that the run was given
 * @param {string | null} run.k6Version
 * @param {import('./environment.js').Environment} [run.on] where the load came from, of a run that was made elsewhere
 * @param {import('./measured.ts').Abort | null} [run.abort] why there was no load, where that is known
 * @param {(text: string) => void} [run.print]
 * @returns {Promise<number>} the verdict's exit code
 */
export async function judge({
  directory,
  k6Exit,
  prometheus,
  server,
  knobs,
  variables,
  k6Version,
  on = environment(k6Version),
  abort = null,
  print = (text) => process.stdout.write(text),
}) {
  const legs = readLegs(directory);
  const log = legs ? await readLegLogs(directory, legs) : await readK6Log(join(directory, 'k6.log'));
  const {
    summary,
    problem,
    abort: found,
    ...perLeg
  } = legs ? readLegSummaries(directory, legs) : readSummary(directory);
  const asked = prometheus ? new Prometheus(prometheus) : null;
  /** @type {Record<string, string>} */
  let files = {};
  /** @type {import('./timeline.js').Timeline | null} */
  let timeline = null;
  const folders = legs ? legs.legs.map(({ folder }) => join(directory, folder)) : [directory];
  const watches = readHostWatches(directory, legs);
  const run = await makeRun(
    {
      testid: basename(resolve(directory)),
      summary,
      ...('summaries' in perLeg && { legSummaries: perLeg.summaries }),
      experimentError: legs?.error ?? null,
      abort: abort ?? found ?? null,
      summaryProblem: problem,
      log,
      k6Exit,
      environment: on,
      secrets: secretsOf(process.env),
      knobs: server === REFERENCE ? targetKnobs(knobs) : null,
      ...(variables && { variables }),
      watches,
    },
    async (plan, phases) => {
      const observed = await observe(asked, plan, phases, server, withSeconds(folders));
      timeline = observed.timeline && {
        ...mergeHostWatch(observed.timeline, watches),
        // The server chose their names.
        operations: cleanDeep(observed.timeline.operations, secretsOf(process.env)),
      };
      return { ...observed, timeline };
    },
    async (facts) => {
      const folderOf = (/** @type {string} */ name) =>
        legs?.legs.find((leg) => leg.name === name)?.folder ?? '';
      const built = await makeTables({
        ...facts,
        legs,
        increase: (selector, phase) => increaseOf(asked, selector, phase),
        seconds: (leg) => secondsOf(join(directory, folderOf(leg))),
      });
      files = built.files;
      return built;
    },
  );
  const unwritten = failureOf(() => {
    writeAtomic(join(directory, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
    if (timeline) writeAtomic(join(directory, 'timeline.json'), `${JSON.stringify(timeline)}\n`);
    writeReports(directory, run, timeline);
    for (const [name, text] of Object.entries(files)) writeAtomic(join(directory, name), text);
  });
  print(renderTerminal(run, { directory, colours: wantsColours() }));
  if (prometheus) await publish(run, prometheus);
  // What was measured has been shown by now, and is nowhere else.
  if (unwritten) throw new Error(`the results can't be written to ${directory}: ${unwritten.message}`);
  return run.verdict.exit_code;
}

/** @param {() => void} action @returns {Error | null} what it threw */
function failureOf(action) {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/**
 * For the dashboards. The run is judged by now: where they can't be had, that is a line in its log.
 *
 * @param {import('./run.js').Run} run
 * @param {string} url
 */
async function publish(run, url) {
  try {
    const samples = findingSamples(run);
    if (samples.length > 0) await new Prometheus(url, { timeoutMs: PUBLISH_MS, tries: 2 }).write(samples);
  } catch (error) {
    const why = cleanText(error instanceof Error ? error.message : String(error), secretsOf(process.env));
    logLine(`the dashboards will not show the findings: ${why}`);
  }
}
