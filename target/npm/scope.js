import { Word } from './kinds.js';

/** Input of every tool of the proxy manager: the owner of the rows, and the owner's instance. */
export const scope = {
  owner: Word.default('anyone').describe(
    'whose resources; a load test gives its own name and removes what is its',
  ),
  instance: Word.default('default').describe("one of the owner's proxy managers"),
};
