import type { Builder } from 'junit-report-builder';
import junit from 'junit-report-builder';
import type { Comparison } from './comparison.ts';
import { nameOf, sentenceOf } from './words.ts';

/** The package's types declare the builder under `default`, but an ES module does not find it there. */
const reports = junit as unknown as Builder;

/**
 * @returns JUnit XML with a test case for each metric (failed: worse; skipped: inconclusive) and the
 *   verdict
 */
export function renderJunit(comparison: Comparison): string {
  const { conditions, base, head, metrics, verdict } = comparison;
  const name = `comparison ${conditions?.test ?? comparison.name}`;
  const builder = reports.newBuilder().name('mcp-load-lab');
  const suite = builder.testSuite().name(name);
  suite.property('base', base.given);
  suite.property('head', head.given);
  for (const row of metrics) {
    const testCase = suite.testCase().className(name).name(nameOf(row));
    if (row.outcome === 'worse') testCase.failure(sentenceOf(row), row.outcome);
    if (row.outcome === 'inconclusive') testCase.skipped();
    testCase.standardOutput(sentenceOf(row));
  }
  const text = verdict.reasons.join('\n');
  const last = suite.testCase().className(name).name('verdict');
  if (verdict.outcome === 'fail') last.failure(text, verdict.outcome);
  else if (verdict.outcome === 'invalid')
    last.error(`${verdict.outcome} (exit code ${verdict.exit_code})`, verdict.outcome, text);
  else last.standardOutput(text);
  return `${builder.build()}\n`;
}
