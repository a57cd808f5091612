import junit from 'junit-report-builder';
import { thresholdName } from '../thresholds.js';

/** The package's types put the builder under `default`, where an ES module importing it does not find it. */
const reports = /** @type {import('junit-report-builder').Builder} */ (/** @type {unknown} */ (junit));

/**
 * @param {import('../run.js').Run} run
 * @returns {string} JUnit XML: one test case a threshold (skipped where it could not be judged), and the verdict
 */
export function renderJunit(run) {
  const name = `load test ${run.test ?? run.testid}`;
  const builder = reports.newBuilder().name('mcp-load-lab');
  const suite = builder.testSuite().name(name);
  if (run.started) suite.timestamp(run.started);
  suite.property('testid', run.testid);
  suite.property('profile', run.profile ?? '');
  suite.property('target', run.target?.url ?? '');
  for (const threshold of run.thresholds) {
    const testCase = suite.testCase().className(name).name(thresholdName(threshold));
    if (threshold.ok === false) testCase.failure(threshold.reason ?? '', threshold.outcome);
    if (threshold.ok === null) testCase.skipped();
    if (threshold.ok === null && threshold.reason) testCase.standardOutput(threshold.reason);
  }
  const { outcome, exit_code, reasons } = run.verdict;
  const text = reasons.join('\n');
  const verdict = suite.testCase().className(name).name('verdict');
  if (run.duration_s !== null) verdict.time(run.duration_s);
  if (outcome === 'fail') verdict.failure(text, outcome);
  else if (outcome !== 'pass') verdict.error(`${outcome} (exit code ${exit_code})`, outcome, text);
  else verdict.standardOutput(text);
  return `${builder.build()}\n`;
}
