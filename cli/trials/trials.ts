/** Tests with several k6 runs: `scenarios/NAME/trials.ts`. */
import { partOf } from '../../contract/tests.js';
import { readConfig } from './config.ts';
import type { Lab } from './lab.ts';

/** Length of the whole test, seconds. trialS: length of one k6 run with these variables, seconds. */
export type Lasts<C> = (config: C, trialS: (env?: Record<string, string>) => number) => number;

/** The exports of a `trials.ts`. */
// biome-ignore lint/suspicious/noExplicitAny: each test has variables and a result of its own.
export interface TrialsModule<C = any, R = any> {
  default: (lab: Lab<C, R>) => Promise<void>;
  lasts: Lasts<C>;
  /** The test changes parts of the stack or starts servers, which is not possible in a container. */
  nativeOnly?: true;
  /** Validates its variables beyond their types. @throws {ConfigError} */
  check?: (config: C) => void;
}

export const hasTrials = (test: string) => partOf(test, 'trials') !== null;

/** @returns null if the test is a single k6 run */
export async function trialsOf(test: string): Promise<TrialsModule | null> {
  const file = partOf(test, 'trials');
  return file ? await import(file) : null;
}

/** Validates the variables of a test with several k6 runs. @throws {ConfigError} */
export async function checkTrials(test: string) {
  (await trialsOf(test))?.check?.(readConfig(process.env));
}
