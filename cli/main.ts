#!/usr/bin/env node
/**
 * The entry point of all commands except those of the stack. scripts/lab runs it on this host or in a
 * container.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { cleanText, secretsOf } from '../analysis/clean-text.ts';
import { reportAgain } from '../analysis/report/report-again.ts';
import { UsageError } from '../analysis/usage-error.ts';
import { runForwardingSignals } from './child.ts';
import { ci } from './ci/ci.ts';
import { baselineSave, compare } from './commands/compare.ts';
import { compareAb } from './commands/compare-ab.ts';
import { list } from './commands/list.ts';
import { dashboards, live } from './commands/live.ts';
import { signals } from './commands/signals.ts';
import { workloadInit } from './commands/workload-init.ts';
import { codeOf, quotable, USAGE, usage } from './ending.ts';
import { leave, outliveReaders } from './leave.ts';
import { run } from './run/run.ts';
import { bringUp, ownRunFolder, ROOT, resultsFolder, setUp, takePlaces } from './stack.ts';
import { takeWords } from './variables.ts';

type Action = (words: string[]) => number | Promise<number>;

const program = new Command('scripts/lab').exitOverride().configureOutput({
  outputError: (text, write) => write(text),
});

/** Defines a command that takes NAME=value words. */
function command(name: string, about: string, action: Action) {
  program
    .command(name)
    .description(about)
    .argument('[NAME=value...]')
    .allowUnknownOption()
    .action(ending(action));
}

/** In scripts/commands/. */
const ofStack = readdirSync(join(ROOT, 'scripts/commands'));

/** make replaces the exit code of a failed command by 2. With BY_MAKE the command prints its own. */
const byMake = process.env.by_make;
delete process.env.by_make;
process.once('exit', (code) => {
  const name = process.argv.slice(2, 4).join(' ');
  if (byMake && code)
    process.stderr.write(
      `exit code ${code} (make itself exits with 2; ./scripts/${name} exits with ${code})\n`,
    );
});

outliveReaders();

function ending<Arguments extends unknown[]>(action: (...args: Arguments) => number | Promise<number>) {
  return async (...args: Arguments) => {
    takePlaces();
    process.exitCode = await action(...args);
  };
}

program
  .command('run')
  .description('runs a test, from set-up to verdict')
  .argument('[test]', 'one of make list', '')
  .argument('[NAME=value...]')
  .allowUnknownOption()
  .action(ending(run));
program
  .command('report')
  .description("re-creates a run's reports from its results")
  .argument('[run]', 'a testid, latest, or a results folder')
  .action(
    ending((wanted?: string) => {
      reportAgain(wanted ?? (process.env.RUN || 'latest'), resultsFolder());
      return 0;
    }),
  );
command('compare', 'compares the runs in HEAD with those in BASE', compare);
command('compare-ab', "runs a test alternately with A's and B's variables and compares them", compareAb);
command('baseline-save', 'saves runs as a baseline file to compare with', baselineSave);
command('signals', 'shows which signals have data, and from which metric', signals);
command('live', 'shows a live page of the newest run until Ctrl-C', live);
command('dashboards', 'opens Grafana for the newest run, or the live page without Grafana', dashboards);
command('list', 'lists the tests; with TARGET_URL, which of them can load that server', list);
command('workload-init', "writes a server's operations to a workload file to edit", workloadInit);
command('gateway', 'runs a gateway in front of the target until Ctrl-C', async (words) => {
  takeWords('gateway', words);
  await setUp('gateway');
  if (!process.env.TARGET_URL) await bringUp();
  await ownRunFolder();
  const program = join(ROOT, 'scenarios/gateway/serve.ts');
  return (await runForwardingSignals('node', [program], { stdio: 'inherit' })).code;
});
command('ci', 'runs a test in a pipeline', ci);

try {
  const [wanted = ''] = process.argv.slice(2);
  const names = program.commands.map((one) => one.name());
  if (!wanted.startsWith('-') && !names.includes(wanted))
    throw usage(`the command is "${quotable(wanted)}"; valid: ${[...names, ...ofStack].join(', ')}`);
  await program.parseAsync();
} catch (error) {
  const ofCommander =
    error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
  if (ofCommander) process.exitCode = (error as { exitCode?: number }).exitCode ? USAGE : 0;
  else {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== '') process.stderr.write(`error: ${cleanText(message, secretsOf(process.env), 4000)}\n`);
    if (process.env.DEBUG === '1') process.stderr.write(`${error instanceof Error ? error.stack : ''}\n`);
    process.exitCode = error instanceof UsageError ? USAGE : codeOf(error);
  }
}
await leave();
