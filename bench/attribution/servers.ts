/**
 * Third-party servers (tests/servers/public), loaded without prior knowledge: one spike, and no metrics of their own.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LAG_S } from '../../analysis/collect/signals.ts';
import { publicServers } from '../../tests/servers/public/public-server.ts';
import { shopWorkload } from '../../tests/servers/shop.ts';
import type { Fault, Started, Truth } from '../attribution.js';
import type { LabStack } from '../lab-stack.js';

const servers = await publicServers();

export const FAULTS: Record<string, Fault> = Object.fromEntries(
  Object.entries(servers).map(([name, { title, truth, rateScale }]) => [
    name,
    { about: title, truth, scale: rateScale },
  ]),
);

export const MIN_RIGHT = 0.8;
export const WRONG_ALLOWED = false;

/** Starts the server; the functions in `undo` stop it. */
export async function start(
  lab: LabStack,
  { fault: name }: Truth,
  folder: string,
  undo: (() => unknown)[],
): Promise<Started> {
  const server = servers[name];
  if (!server) throw new Error(name);
  const { url, token, stop } = await server.start({ folder, stack: lab.stackEnv, passwords: lab.secrets });
  undo.push(stop);
  const variables: Record<string, string> = { TARGET_URL: url, ...(token && { TARGET_TOKEN: token }) };
  if (server.mix) {
    variables.WORKLOAD = join(folder, 'workload.json');
    writeFileSync(variables.WORKLOAD, JSON.stringify(shopWorkload(server.mix)));
  }
  return { variables, begin: async () => {}, untilS: LAG_S + 2 };
}
