/**
 * Starts the server repeatedly and makes one request per start: tools/list, or a call. k6 starts a program
 * (TARGET_COMMAND); this test starts any other server.
 */

import { readFileSync } from 'node:fs';
import type { OwnServer } from '../../cli/run/own-server.ts';
import { stackKind } from '../../cli/stack.ts';
import type { Config } from '../../cli/trials/config.ts';
import { startInstance } from '../../cli/trials/instance.ts';
import type { Lab } from '../../cli/trials/lab.ts';
import type { ServerProcess } from '../../cli/trials/server-process.ts';
import type { TrialsModule } from '../../cli/trials/trials.ts';
import { isProgram } from '../../contract/command-line.js';
import { ConfigError } from '../../contract/config-error.js';
import { freePort } from '../../contract/free-port.js';
import type { WorkloadDocument } from '../../lib/workload.js';
import type { variables } from './variables.ts';

type ColdStartConfig = Config<typeof variables>;

/** First requests to a server. */
export const STEPS = ['tools-list', 'first-call'] as const;
export type Step = (typeof STEPS)[number];

export interface ColdStartResult {
  /** By trial: number of processes that k6 started concurrently. Empty for other servers. */
  atOnce: Record<string, { step: Step; atOnce: number }>;
  /** By trial: time from server start to the first HTTP response, milliseconds. */
  ready: Record<string, { step: Step; ms: number }>;
  /** Number of servers in the trial that measures them at rest. */
  resting: number;
}

export const REST = 'rest';
/** Number of idle programs whose memory is measured. */
const RESTING = 4;
const DEFAULT_STARTS = { smoke: 4, quick: 20, full: 20 };

/** Rough durations of a start, of the k6 run around it, and of the idle trial, seconds. */
const START_S = 1;
const K6_S = 4;
const REST_S = 25;

/** @returns the possible first requests: discovery may have found no callable tool */
function stepsOf({ WORKLOAD }: ColdStartConfig): readonly Step[] {
  if (!WORKLOAD.endsWith('.json')) return STEPS;
  const { operations } = JSON.parse(readFileSync(WORKLOAD, 'utf8')) as WorkloadDocument;
  return Object.values(operations).some(({ method }) => method === 'tools/call') ? STEPS : ['tools-list'];
}

/** Long, because many concurrent starts are slow. */
const TIMEOUT = '60s';

/** TOOL and ARGS apply to calls, not to lists. */
const envOf = (step: Step): Record<string, string> => ({
  STEP: step,
  TARGET_TIMEOUT: process.env.TARGET_TIMEOUT || TIMEOUT,
  ...(step === 'tools-list' && { TOOL: '', ARGS: '' }),
});

const startsOf = ({ STARTS, PROFILE }: ColdStartConfig) => STARTS ?? DEFAULT_STARTS[PROFILE];
const countsOf = ({ AT_ONCE }: ColdStartConfig) => AT_ONCE ?? [];

export const lasts: TrialsModule<ColdStartConfig>['lasts'] = (config) => {
  const starts = startsOf(config);
  const parts = isProgram(config.TARGET_URL)
    ? countsOf(config).reduce((sum, count) => sum + K6_S + (START_S * Math.max(starts, count)) / count, 0)
    : starts * (START_S + K6_S);
  return STEPS.length * parts + REST_S;
};

export function check({ TARGET_URL, SERVER_COMMAND }: ColdStartConfig) {
  if (stackKind() === 'external' && !isProgram(TARGET_URL) && SERVER_COMMAND === '')
    throw new ConfigError(
      'cold-start with SERVER_COMMAND needs the native stack: STACK=native make cold-start, or set TARGET_COMMAND',
    );
  if (process.env.REFERENCE_TARGET === '' && !isProgram(TARGET_URL) && SERVER_COMMAND === '')
    throw new ConfigError(
      'SERVER_COMMAND is empty; cold-start needs the command that starts the server at TARGET_URL',
    );
}

export default async function coldStart(lab: Lab<ColdStartConfig, ColdStartResult>) {
  lab.result = { atOnce: {}, ready: {}, resting: 0 };
  if (isProgram(lab.config.TARGET_URL)) await ofProgram(lab, lab.result);
  else await ofServer(lab, lab.result);
}

async function ofProgram(lab: Lab<ColdStartConfig, ColdStartResult>, result: ColdStartResult) {
  for (const atOnce of countsOf(lab.config)) {
    for (const step of stepsOf(lab.config)) {
      const name = `${step}-${atOnce}`;
      result.atOnce[name] = { step, atOnce };
      const starts = Math.max(startsOf(lab.config), atOnce);
      lab.logProgress(`cold-start: ${starts} starts, ${atOnce} at a time, each with ${step} ...`);
      await lab.trial({
        name,
        labels: { at_once: atOnce },
        env: { PROCESSES: 'per-call', ...envOf(step), PARALLEL: String(atOnce), STARTS: String(starts) },
      });
    }
  }
  await rest(lab, result, RESTING);
}

async function ofServer(lab: Lab<ColdStartConfig, ColdStartResult>, result: ColdStartResult) {
  const starts = startsOf(lab.config);
  const starter = lab.server ? ownStarter(lab.server) : referenceStarter();
  lab.onEnd(() => starter.stop());
  for (let start = 1; start <= starts; start += 1) {
    lab.logProgress(`cold-start: ${start} of ${starts} ...`);
    for (const step of stepsOf(lab.config)) {
      await starter.stop();
      const { ms, env } = await starter.start();
      const name = `${step}-${start}`;
      result.ready[name] = { step, ms };
      await lab.trial({ name, env: { ...env, ...envOf(step), STARTS: '1', PARALLEL: '1' } });
    }
  }
  if (lab.server) await rest(lab, result, 1);
}

interface Starter {
  /** @returns milliseconds until it was ready, and the variables of the trial */
  start: () => Promise<{ ms: number; env: Record<string, string> }>;
  stop: () => Promise<void>;
}

const ownStarter = (server: OwnServer): Starter => ({
  start: async () => ({ ms: await server.start(), env: {} }),
  stop: () => server.stop(),
});

/** Starts more instances of the reference target, which use the stack's stores. */
function referenceStarter(): Starter {
  let running: ServerProcess | null = null;
  return {
    async start() {
      const port = await freePort();
      const beganMs = performance.now();
      running = await startInstance('the reference target', port, {});
      return { ms: performance.now() - beganMs, env: { TARGET_URL: running.url } };
    },
    async stop() {
      await running?.stop();
      running = null;
    },
  };
}

/** Measures servers that are up and nearly idle. */
async function rest(lab: Lab<ColdStartConfig, ColdStartResult>, result: ColdStartResult, servers: number) {
  result.resting = servers;
  const env = { ...envOf('tools-list'), STEP: REST, PROCESSES: 'per-vu', PARALLEL: String(servers) };
  await lab.trial({ name: REST, env });
}
