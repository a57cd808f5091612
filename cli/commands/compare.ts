/** Comparisons of runs, and the baselines to compare with. */
import { join } from 'node:path';
import { compareRuns } from '../../analysis/compare/compare-runs.ts';
import { saveBaseline } from '../../analysis/compare/save-baseline.ts';
import { resultName } from '../../analysis/result-name.ts';
import { baselinesFolder, resultsFolder } from '../stack.ts';
import { takeWords } from '../variables.ts';

const places = () => ({ results: resultsFolder(), baselines: baselinesFolder() });

/** A new one's path, among the results. */
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
