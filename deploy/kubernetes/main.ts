#!/usr/bin/env node
/**
 * Runs a test in a cluster: applies your kustomization, waits for the runners to finish, judges their combined results
 * and removes what it created. The exit code is that of the verdict.
 *
 *   scripts/node deploy/kubernetes/main.ts FOLDER [--prometheus URL] [--server LABEL]
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { type Abort, type Measured, readMeasured } from '../../analysis/collect/measured.ts';
import { leaveSums } from '../../analysis/collect/sum-generators.ts';
import { judge } from '../../analysis/judge/judge.ts';
import { FAIL, INVALID, PASS } from '../../analysis/judge/verdict.ts';
import { leaveWhereInterrupted, runForwardingSignals, whileTaking } from '../../cli/child.ts';
import { BROKEN, codeOf, usage } from '../../cli/ending.ts';
import { logProgress } from '../../cli/log-progress.ts';
import { nameLatest } from '../../cli/run/verdict.ts';
import { resultsFolder, takePlaces } from '../../cli/stack.ts';
import { Cluster } from './cluster.ts';
import { LIMITS } from './collector.ts';
import { type Run, runOf } from './manifests.ts';

const USAGE = 'usage: scripts/node deploy/kubernetes/main.ts FOLDER [--prometheus URL] [--server LABEL]';

function parse(args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { prometheus: { type: 'string' }, server: { type: 'string', default: '' } },
    });
    const [folder, ...more] = positionals;
    if (!folder || more.length > 0)
      throw new Error(`expected one kustomization folder, got ${positionals.length}`);
    return { ...values, folder };
  } catch (error) {
    throw usage(`${error instanceof Error ? error.message : error}; ${USAGE}`);
  }
}

async function render(folder: string) {
  const { code, stdout, stderr } = await runForwardingSignals('kubectl', ['kustomize', folder]);
  leaveWhereInterrupted();
  if (code !== 0) throw usage(`kubectl kustomize ${folder}: ${stderr.trim() || 'it cannot be started'}`);
  return parseAllDocuments(stdout).map((one) => one.toJS());
}

/**
 * Fetches the runners' results. @returns k6's exit code, and why the results are incomplete (null if they are complete)
 */
async function collect(
  cluster: Cluster,
  { runners }: Run,
  into: string,
): Promise<{ k6Exit: number; abort: Abort | null }> {
  const exits = await cluster.exitCodes();
  const generators: { measured: Measured; folder: string }[] = [];
  let missing: Abort | null = null;
  for (const runner of runners) {
    const folder = join(into, 'runners', runner);
    mkdirSync(folder, { recursive: true });
    let isWhole = true;
    for (const file of Object.keys(LIMITS))
      isWhole = (await cluster.fetch(runner, file, join(folder, file))) && isWhole;
    const measured = isWhole ? readMeasured(folder) : null;
    if (measured) generators.push({ measured, folder });
    else missing ??= withoutFigures(runner, exits.get(runner) ?? null);
  }
  if (missing) return { k6Exit: missing.code, abort: missing };
  if (new Set(generators.map(({ measured }) => testOf(measured))).size > 1)
    return {
      k6Exit: BROKEN,
      abort: { code: BROKEN, reason: 'the runners did not run the same test: their plans differ' },
    };
  const { end } = await leaveSums(generators, into);
  return { k6Exit: end.exitCode, abort: null };
}

/** The plan without its examples: each runner draws its own. */
const testOf = ({ plan }: Measured) =>
  JSON.stringify(plan, (name, value) => (name === 'example' ? undefined : value));

function withoutFigures(runner: string, exit: number | null): Abort {
  const how = exit === null ? 'its exit code is unknown' : `it exited with code ${exit}`;
  // These exit codes would be mistaken for verdicts.
  const code = exit === null || [PASS, INVALID, FAIL].includes(exit) ? BROKEN : exit;
  return { code, reason: `${runner} delivered no figures (${how}), so the run is not judged` };
}

/** Writes the runners' logs, as k6 does for a run on one machine. */
async function leaveLog(cluster: Cluster, { runners }: Run, into: string) {
  const logs = await Promise.all(runners.map((runner) => cluster.log(runner)));
  const lines = logs.flatMap((log) =>
    log.split('\n').filter((line) => /^time=\S+ level=(error|fatal) /.test(line)),
  );
  writeFileSync(join(into, 'k6.log'), lines.map((line) => `${line}\n`).join(''));
}

async function main(): Promise<number> {
  const { folder, prometheus, server } = parse(process.argv.slice(2));
  takePlaces();
  const run = runOf(await render(folder));
  const results = join(resultsFolder(), run.testid);
  if (existsSync(results)) throw usage(`TESTID already exists (${results}); choose another`);
  const cluster = new Cluster(run);
  await cluster.needNone();
  let collected: Awaited<ReturnType<typeof collect>>;
  try {
    await cluster.make();
    logProgress(`cluster: ${run.testid}, ${run.runners.length} runners`);
    await cluster.untilOver();
    mkdirSync(results, { recursive: true });
    collected = await collect(cluster, run, results);
    await leaveLog(cluster, run, results);
  } finally {
    await cluster.remove();
  }
  nameLatest(results);
  return await judge({
    directory: results,
    ...collected,
    prometheus: prometheus || null,
    server,
    settings: '',
    k6Version: null,
  });
}

try {
  // Removes what was created, also if a signal ends the program.
  process.exitCode = await whileTaking(
    () => logProgress('interrupted: the run is being removed from the cluster'),
    main,
  );
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  if (message) logProgress(`error: ${message}`);
  process.exitCode = codeOf(error);
}
