/** Re-evaluates k6's thresholds from the figures in the output lab's document. */
import type { Share, Threshold } from '../collect/measured.ts';
import { OPERATORS } from './operators.ts';

/** Thresholds whose figures can be added over several generators: rates and counts. */
const SUMMABLE = /^\s*(rate|count)\s*(<=|>=|<|>|===?|!=)\s*([\d.e+-]+)\s*$/i;

/** Operators of k6 that objectives do not have. */
const HOLDS: typeof OPERATORS = {
  ...OPERATORS,
  '==': (observed, limit) => observed === limit,
  '===': (observed, limit) => observed === limit,
  '!=': (observed, limit) => observed !== limit,
};

type Figures = Pick<Threshold, 'threshold' | 'share' | 'value'>;

/** @returns null if the figures are not sufficient, for example for a percentile */
export function holdsByFigures({ threshold, share, value }: Figures): boolean | null {
  const [, figure = '', operator = '', limit] = SUMMABLE.exec(threshold) ?? [];
  const rate = share && share.total > 0 ? share.trues / share.total : undefined;
  const observed = figure.toLowerCase() === 'rate' ? rate : value;
  return figure === '' || observed === undefined
    ? null
    : (HOLDS[operator]?.(observed, Number(limit)) ?? null);
}

/**
 * @param parts the same threshold of each generator that has it
 * @returns the threshold as a single k6 would have judged it
 */
export function sumOfThreshold(parts: Threshold[], generators: number): Threshold {
  const { metric = '', threshold = '' } = parts[0] ?? {};
  const sums = { metric, threshold, ...sumsOf(parts, threshold) };
  const unknown = (doubt: string) => ({ ...sums, passed: false, hasSamples: false, doubt });
  if (parts.length < generators) return unknown('a generator does not have it');
  const judged = parts.filter(({ hasSamples }) => hasSamples);
  if (judged.length === 0) return unknown('no samples');
  const passed = judged.filter((part) => part.passed).length;
  const holds = holdsByFigures(sums);
  if (holds === null && passed > 0 && passed < judged.length)
    return unknown(
      `${passed} of ${judged.length} generators passed it, and their results cannot be combined`,
    );
  return { ...sums, passed: holds ?? passed > 0, hasSamples: true };
}

function sumsOf(parts: Threshold[], threshold: string): { share?: Share; value?: number } {
  const shares = parts.flatMap(({ share }) => share ?? []);
  const values = parts.flatMap(({ value }) => value ?? []);
  const share = {
    trues: shares.reduce((sum, { trues }) => sum + trues, 0),
    total: shares.reduce((sum, { total }) => sum + total, 0),
  };
  if (shares.length === parts.length) return { share };
  const addsUp = SUMMABLE.test(threshold) && values.length === parts.length;
  return addsUp ? { value: values.reduce((sum, value) => sum + value, 0) } : {};
}
