/**
 * One k6 run of an experiment, which calls this with the test's variables in the environment, and these: TESTID, K6_ADDRESS, K6_USERS,
 * K6_SUMMARY, K6_RAW, K6_PROGRESS.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { load } from '../run/load.ts';

/** @param folder of its results: legs/NAME in that of the run @returns k6's exit code */
export async function leg(test: string, folder: string): Promise<number> {
  const { TESTID = '', K6_ADDRESS = '', K6_USERS, K6_SUMMARY, K6_RAW, K6_PROGRESS } = process.env;
  const plan = join(dirname(dirname(folder)), 'plan.json');
  return await load({
    test,
    folder,
    testid: TESTID,
    users: Number(K6_USERS || 0),
    summary: K6_SUMMARY === 'stream' ? 'stream' : 'keep',
    raw: K6_RAW === '1',
    progress: K6_PROGRESS === '1' ? JSON.parse(readFileSync(plan, 'utf8')) : null,
    address: K6_ADDRESS,
  });
}
