/**
 * Variables shared by tests with several k6 runs. A test's own variables are in
 * `scenarios/NAME/variables.ts`.
 */
import { optional, positiveInteger, positiveNumber } from '../types.js';

export const trials = {
  RUNS: {
    type: optional(positiveInteger),
    help: 'how often a test of several k6 runs measures each of its values [3]; compare-ab: how often each side is run [5]; ci: how often the test is [1]',
  },
  RATE: {
    type: optional(positiveNumber),
    help: 'capacity: requests/s to begin with [50]; gateway: requests/s that each way gets [two fifths of what the gateway is found to do]',
  },
};
