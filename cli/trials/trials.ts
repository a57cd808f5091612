/** Tests of several k6 runs: `scenarios/NAME/trials.ts`. */
import { partOf } from '../../contract/tests.js';
import { readConfig } from './config.ts';
import type { Lab } from './lab.ts';

/** Seconds that all of a test takes. trialS: seconds of one k6 run with these variables. */
export type Lasts<C> = (config: C, trialS: (env?: Record<string, string>) => number) => number;

/** What a `trials.ts` exports. */
// biome-ignore lint/suspicious/noExplicitAny: each test has variables and a result of its own.
export interface TrialsModule<C = any, R = any> {
  default: (lab: Lab<C, R>) => Promise<void>;
  lasts: Lasts<C>;
  /** It changes the stack's parts or starts servers, which the test in a container can't. */
  nativeOnly?: true;
  /** Checks what the types of its variables do not. @throws {ConfigError} */
  check?: (config: C) => void;
}

export const hasTrials = (test: string) => partOf(test, 'trials') !== null;

/** @returns null: the test is one k6 run */
export async function trialsOf(test: string): Promise<TrialsModule | null> {
  const file = partOf(test, 'trials');
  return file ? await import(file) : null;
}

/** Checks the variables of a test of several k6 runs. @throws {ConfigError} */
export async function checkTrials(test: string) {
  (await trialsOf(test))?.check?.(readConfig(process.env));
}
