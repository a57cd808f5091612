/**
 * Variables shared by tests with several k6 runs. Variables of a single test are in
 * `scenarios/NAME/variables.ts`.
 */
import { optional, positiveInteger, positiveNumber } from '../types.js';

export const trials = {
  RUNS: {
    type: optional(positiveInteger),
    help: 'measurements per value in tests with several k6 runs [3]; compare-ab: runs per side [5]; ci: runs of the test [1]',
  },
  RATE: {
    type: optional(positiveNumber),
    help: "capacity: initial requests/s [50]; gateway: requests/s, both direct and through the gateway [two fifths of the gateway's measured capacity]",
  },
};
