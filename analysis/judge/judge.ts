import { join } from 'node:path';
import { cleanText, secretsOf } from '../clean-text.ts';
import { collect } from '../collect/collect.ts';
import { type Environment, environment } from '../collect/environment.ts';
import type { Abort } from '../collect/measured.ts';
import { observe } from '../collect/observe.ts';
import { Prometheus } from '../collect/prometheus.ts';
import { targetSettings } from '../collect/target-settings.ts';
import { wantsColours } from '../render/colours.ts';
import { renderTerminal } from '../render/terminal.ts';
import { findingSamples } from '../report/publish-findings.ts';
import { writeReports } from '../report/write-reports.ts';
import { logLine } from '../run-log.ts';
import { tableModuleOf } from '../tables/report-tables.ts';
import { writeAtomic } from '../write-atomic.ts';
import { phases } from './phases.ts';
import { makeRun, type Run } from './run.ts';

/** The label of the rules that monitor the stack's own target. */
const REFERENCE = 'reference';

/** Short timeout, because only dashboards need these samples. */
const PUBLISH_MS = 3_000;

/**
 * Creates all results of a run in addition to k6's own output: collects, judges, renders, and prints the
 * terminal report.
 *
 * @returns the exit code of the verdict
 */
export async function judge({
  directory,
  k6Exit,
  prometheus,
  server,
  settings,
  variables,
  k6Version,
  on = environment(k6Version),
  abort = null,
  grafana = false,
  print = (text) => process.stdout.write(text),
}: {
  /** Directory of the run's results. */
  directory: string;
  k6Exit: number;
  /** URL; null if there is no Prometheus. */
  prometheus: string | null;
  /** The label of the rules that monitor the server under test. */
  server: string;
  /**
   * Settings of the reference target that differ from their defaults, as space-separated `NAME=value` pairs.
   */
  settings: string;
  /** Variables of the run. */
  variables?: Record<string, string | null>;
  k6Version: string | null;
  /** Environment of the load generator, if the run took place on another machine. */
  on?: Environment;
  /** Why there was no load, if known. */
  abort?: Abort | null;
  /** Whether the stack has Grafana. */
  grafana?: boolean;
  print?: (text: string) => void;
}): Promise<number> {
  const collected = await collect(directory);
  const allPhases = collected.runs.flatMap((one) => phases(one));
  const { plan = null } = collected.summary ?? {};
  const table = plan && (await tableModuleOf(plan.test));
  const observed = await observe(
    prometheus ? new Prometheus(prometheus) : null,
    { testid: plan?.testid ?? '', server },
    allPhases,
    table?.countersOf?.({ phases: allPhases, trials: collected.trials }) ?? [],
  );
  const judged = {
    ...collected,
    abort: abort ?? collected.abort,
    k6Exit,
    environment: on,
    secrets: secretsOf(process.env),
    settings: server === REFERENCE ? targetSettings(settings) : null,
    ...(variables && { variables }),
  };
  const { run, timeline, files } = makeRun(judged, allPhases, observed, table);
  const unwritten = failureOf(() => {
    writeAtomic(join(directory, 'run.json'), `${JSON.stringify(run, null, 2)}\n`);
    if (timeline) writeAtomic(join(directory, 'timeline.json'), `${JSON.stringify(timeline)}\n`);
    writeReports(directory, run, timeline);
    for (const [name, text] of Object.entries(files)) writeAtomic(join(directory, name), text);
  });
  print(renderTerminal(run, { directory, colours: wantsColours(), grafana }));
  if (prometheus) await publish(run, prometheus);
  // The results were printed before this error, because they are not stored anywhere.
  if (unwritten) throw new Error(`the results cannot be written to ${directory}: ${unwritten.message}`);
  return run.verdict.exit_code;
}

/** @returns the error that the action threw */
function failureOf(action: () => void): Error | null {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Writes the findings for the dashboards. The run is already judged, so errors are only logged. */
async function publish(run: Run, url: string) {
  try {
    const samples = findingSamples(run);
    if (samples.length > 0) await new Prometheus(url, { timeoutMs: PUBLISH_MS, tries: 2 }).write(samples);
  } catch (error) {
    const why = cleanText(error instanceof Error ? error.message : String(error), secretsOf(process.env));
    logLine(`the dashboards will not show the findings: ${why}`);
  }
}
