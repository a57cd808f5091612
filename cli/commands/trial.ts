/**
 * One k6 run of an experiment, which calls this with the test's variables in the environment, and these: TESTID, K6_ADDRESS and
 * K6_USERS.
 */
import { load } from '../run/load.ts';

/** @param folder of its results: trials/NAME in that of the run @returns k6's exit code */
export async function trial(test: string, folder: string): Promise<number> {
  const { TESTID = '', K6_ADDRESS = '', K6_USERS } = process.env;
  return await load({
    test,
    folder,
    testid: TESTID,
    users: Number(K6_USERS || 0),
    plan: null,
    address: K6_ADDRESS,
  });
}
