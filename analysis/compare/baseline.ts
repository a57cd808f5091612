/** A baseline: a file in git with the data of some runs that a comparison needs (baseline.schema.json). */
import { cleanDeep } from '../clean-text.ts';
import { validator } from '../schemas.ts';
import { CompareError } from './compare-error.ts';
import { type Conditions, type Digest, difference, refusal } from './digest.ts';

interface Baseline {
  schema: 'mcp-load-lab/baseline/1';
  name: string;
  conditions: Conditions;
  /** Sorted by start. */
  runs: Omit<Digest, 'conditions'>[];
}

export const BASELINE_SCHEMA = 'mcp-load-lab/baseline/1';

const validate = validator('compare/baseline.schema.json');

/**
 * @returns the baseline in a stable order, so that a diff shows only changes
 * @throws {CompareError} if the runs are not runs of the same test, or if one of them is not comparable
 */
export function makeBaseline(
  name: string,
  digests: Digest[],
  options: { includeFailed: boolean },
  secrets: readonly string[] = [],
): Baseline {
  const [first] = digests;
  if (!first) throw new CompareError('a baseline needs at least one run');
  for (const digest of digests) {
    const refused = refusal(digest, options);
    if (refused) throw new CompareError(`${digest.testid} cannot be part of a baseline: ${refused}`);
    const differs = difference(first, digest);
    if (differs) throw new CompareError(`these runs are not comparable: ${differs}`);
  }
  const runs = digests
    .map(({ conditions: _, values, ...digest }) => ({ ...digest, values: sorted(values) }))
    .sort((a, b) => (`${a.started} ${a.testid}` < `${b.started} ${b.testid}` ? -1 : 1));
  const baseline = cleanDeep({ schema: BASELINE_SCHEMA, name, conditions: first.conditions, runs }, secrets);
  const problem = validate(baseline);
  if (problem) throw new Error(`the baseline does not match its schema: ${problem}`);
  return baseline as Baseline;
}

const sorted = (values: Record<string, number>) =>
  Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));

/** @throws {CompareError} if the document is not a baseline */
export function digestsOf(document: unknown): Digest[] {
  const problem = validate(document);
  if (problem) throw new CompareError(`it is not a baseline: ${problem}`);
  const { conditions, runs } = document as Baseline;
  return runs.map((run) => ({ ...run, conditions }));
}
