import type { Builder } from 'junit-report-builder';
import junit from 'junit-report-builder';
import type { Comparison } from './comparison.ts';
import { nameOf, sentenceOf } from './words.ts';

/** The package's types put the builder under `default`, where an ES module importing it does not find it. */
const reports = junit as unknown as Builder;

/** @returns JUnit XML: one test case a metric (failed: worse; skipped: can't be told), and the verdict */
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
