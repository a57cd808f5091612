/** Commands that compare runs and manage baselines. */
import { join } from 'node:path';
import { compareRuns } from '../../analysis/compare/compare-runs.ts';
import { saveBaseline } from '../../analysis/compare/save-baseline.ts';
import { resultName } from '../../analysis/result-name.ts';
import { baselinesFolder, resultsFolder } from '../stack.ts';
import { takeWords } from '../variables.ts';

const places = () => ({ results: resultsFolder(), baselines: baselinesFolder() });

/** Path of a new comparison in the results folder. */
export const comparisonFolder = () => join(resultsFolder(), resultName('compare'));

export function compare(words: readonly string[]): number {
  takeWords('compare', words);
  return compareRuns(comparisonFolder(), places(), process.env);
}

export function baselineSave(words: readonly string[]): number {
  takeWords('baseline-save', words);
  saveBaseline(places(), process.env);
  return 0;
}
