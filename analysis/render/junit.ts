import type { Builder } from 'junit-report-builder';
import junit from 'junit-report-builder';
import type { Finding } from '../findings/finding.ts';
import type { Run } from '../judge/run.ts';
import { thresholdName } from '../judge/threshold-words.ts';
import { numbered, observationText } from './observations.ts';

/** The package's types declare the builder under `default`, but an ES module does not find it there. */
const reports = junit as unknown as Builder;

/**
 * Renders JUnit XML. A finding fails only if the verdict is based on it: the load generator of an invalid
 * run. Findings of a passed run must not fail a build: a bottleneck, a leak or a slow recovery is a passing
 * case with a message, and an objective can turn it into a failure. Notes are not test cases.
 *
 * @returns JUnit XML with a test case for each threshold (skipped if it could not be judged), each finding
 *   (skipped if inconclusive), each operation that discovery left out because the server failed (skipped),
 *   and the verdict
 */
export function renderJunit(run: Run): string {
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
  for (const { operation, failed, reason } of run.failed_probes ?? []) {
    const testCase = suite.testCase().className(name).name(`operation ${operation}`);
    testCase.skipped();
    testCase.standardOutput(`left out because it failed: ${failed}\n${reason}`);
  }
  const { outcome, exit_code, reasons } = run.verdict;
  for (const { name: itsName, finding } of findingCases(run)) {
    const { kind, confidence, statement, evidence, observations = [], phase } = finding;
    const testCase = suite.testCase().className(name).name(itsName);
    const lines = [statement, ...evidence, ...observations.map((one) => observationText(one, run, phase))];
    if (kind === 'generator' && outcome === 'invalid') testCase.error(statement, outcome, lines.join('\n'));
    else {
      if (confidence === 'inconclusive') testCase.skipped();
      testCase.standardOutput(lines.join('\n'));
    }
  }
  const text = reasons.join('\n');
  const verdict = suite.testCase().className(name).name('verdict');
  if (run.duration_s !== null) verdict.time(run.duration_s);
  if (outcome === 'fail') verdict.failure(run.headline ? `${run.headline}\n${text}` : text, outcome);
  else if (outcome !== 'pass')
    verdict.error(run.headline ?? `${outcome} (exit code ${exit_code})`, outcome, text);
  else verdict.standardOutput(text);
  return `${builder.build()}\n`;
}

/**
 * @returns the findings with unique names that contain no figures, so that a case has the same name in
 *   every run
 */
function findingCases({ findings }: Run): { name: string; finding: Finding }[] {
  const seen: Map<string, number> = new Map();
  return numbered(findings).map(({ finding }) => {
    const { kind, subject, phase } = finding;
    const name = `finding: ${kind}, ${subject}${phase === null ? '' : ` in ${phase}`}`;
    const turn = (seen.get(name) ?? 0) + 1;
    seen.set(name, turn);
    return { name: turn === 1 ? name : `${name} (${turn})`, finding };
  });
}
