import { mkdirSync } from 'node:fs';
import * as outside from '../../bench/attribution/outside.ts';
import * as reference from '../../bench/attribution/reference.js';
import { runFault } from '../../bench/attribution/run-fault.js';
import type { Table } from '../../bench/attribution.js';
import type { LabRun, LabStack } from '../../bench/lab-stack.js';
import { runLeak } from '../../bench/leaks/run-leak.js';
import { CASES } from '../../bench/trust/cases.js';
import { runCase } from '../../bench/trust/run-case.js';
import * as recorded from './faults.js';
import type { Case, Fault, RecordedRun, Test } from './runs.js';

const TABLES: Record<Fault['table'], Pick<Table, 'FAULTS' | 'start'>> = { reference, outside, recorded };

/** The target as it is by default. What an earlier run changed is taken back. */
const TARGET = { POOL_SIZE: 'default', WORKERS: 'default', TARGET_FAULTS: 'default' };
/** Of the spike test's rates: 8 requests/s, and 160 in the spike. */
const SCALE = 0.08;
const LEAK = { DURATION: '4m', RATE_SCALE: '0.25' };

/**
 * Makes one of the runs.
 *
 * @param common variables, which the run's own override
 * @param folder for what a fault needs
 */
export async function make(
  lab: LabStack,
  entry: RecordedRun,
  common: Record<string, string>,
  folder: string,
): Promise<LabRun> {
  if ('test' in entry) return runTest(lab, entry, common);
  await lab.target(TARGET);
  if ('table' in entry) return runOfTable(lab, entry, common, folder);
  if ('case' in entry) return runInvalid(lab, entry, common);
  return runLeak(lab, entry.leak, { ...common, ...LEAK });
}

function runTest(lab: LabStack, { test, variables, interrupt }: Test, common: Record<string, string>) {
  return lab.run(
    test,
    { PROFILE: 'smoke', ...TARGET, ...common, ...variables },
    interrupt && {
      during: async ({ phase, after, generatorPid }) => {
        if (phase.name !== interrupt.phase) return;
        await after(interrupt.afterS);
        process.kill(generatorPid(), 'SIGINT');
      },
    },
  );
}

async function runOfTable(
  lab: LabStack,
  { table: name, fault, size, truth }: RecordedRun & Fault,
  variables: Record<string, string>,
  folder: string,
) {
  const { FAULTS, start } = TABLES[name];
  const expected = FAULTS[fault]?.truth;
  if (expected !== truth)
    throw new Error(`the truth of ${fault} is ${truth} here, and ${expected} in ${name}`);
  mkdirSync(folder, { recursive: true });
  return runFault(lab, start, { fault, size: size ?? null, scale: SCALE }, folder, {
    variables,
    untilTheEnd: true,
  });
}

async function runInvalid(lab: LabStack, { case: name, variables }: Case, common: Record<string, string>) {
  const found = CASES.find((one) => one.name === name);
  if (!found?.reason) throw new Error(`no case is invalid that is named ${name}`);
  const { reason } = found;
  const missing = found.missing?.();
  if (missing) throw new Error(missing);
  const ran = await runCase(lab, found, { ...common, ...variables });
  const { outcome, reasons } = ran.run.verdict;
  if (outcome !== 'invalid' || !reasons.some((text: string) => reason.test(text)))
    throw new Error(`not invalid as it should be, but ${outcome}: ${reasons.join('; ')}`);
  return ran;
}
