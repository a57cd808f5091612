/** Comparisons of runs, and the baselines to compare with. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { compareRuns } from '../../analysis/compare/compare-runs.js';
import { saveBaseline } from '../../analysis/compare/save-baseline.js';
import { baselinesFolder, resultsFolder } from '../stack.ts';
import { OF_BASELINE, OF_COMPARE, takeWords } from '../variables.ts';

const places = () => ({ results: resultsFolder(), baselines: baselinesFolder() });

/** A new one's path, among the results. */
export function comparisonFolder(): string {
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  return join(resultsFolder(), `compare-${stamp}-${randomBytes(2).toString('hex')}`);
}

export function compare(words: readonly string[]): number {
  takeWords(words, OF_COMPARE);
  return compareRuns(comparisonFolder(), places(), process.env);
}

export function baselineSave(words: readonly string[]): number {
  takeWords(words, OF_BASELINE);
  saveBaseline(places(), process.env);
  return 0;
}
