/** Comparisons of runs, and the baselines to compare with. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { compareRuns } from '../../analysis/compare/compare-runs.js';
import { saveBaseline } from '../../analysis/compare/save-baseline.js';
import { baselinesFolder, resultsFolder } from '../stack.ts';
import { takeWords } from '../variables.ts';

const places = () => ({ results: resultsFolder(), baselines: baselinesFolder() });

/** A new one's path, among the results. */
export function comparisonFolder(): string {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return join(resultsFolder(), `compare-${stamp}-${randomBytes(2).toString('hex')}`);
}

export function compare(words: readonly string[]): number {
  takeWords('compare', words);
  return compareRuns(comparisonFolder(), places(), process.env);
}

export function baselineSave(words: readonly string[]): number {
  takeWords('baseline-save', words);
  saveBaseline(places(), process.env);
  return 0;
}
