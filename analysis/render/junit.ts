import type { Builder } from 'junit-report-builder';
import junit from 'junit-report-builder';
import type { Finding } from '../findings/finding.ts';
import type { Run } from '../judge/run.ts';
import { thresholdName } from '../judge/threshold-words.ts';
import { numbered, observationText } from './observations.ts';

/** The package's types put the builder under `default`, where an ES module importing it does not find it. */
const reports = junit as unknown as Builder;

/**
 * A finding is red only where the verdict is built on it: a load generator that can't be trusted, of a run that is invalid.
 * What a run passes with must not fail a build: a bottleneck, a leak or a slow recovery is a passing case that says so, and
 * an objective is how to make it fail. Notes are no cases.
 *
 * @returns JUnit XML: one test case a threshold (skipped where it could not be judged), one a finding (skipped where it is inconclusive),
 *   one an operation that discovery left out because the server failed (skipped), and the verdict
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
    testCase.standardOutput(`left out, it failed: ${failed}\n${reason}`);
  }
  const { outcome, exit_code, reasons } = run.verdict;
  for (const { name: itsName, finding } of findingCases(run)) {
    const { kind, confidence, statement, evidence, observations = [], phase } = finding;
    const testCase = suite.testCase().className(name).name(itsName);
    const lines = [statement, ...evidence, ...observations.map((one) => observationText(one, run, phase))];
    if (kind === 'generator' && outcome === 'invalid') testCase.error(statement, outcome, lines.join('\n'));
    else {
      if (confidence === 'not_enough_to_tell') testCase.skipped();
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

/** @returns names without figures, so that a case is the same from run to run, and each once */
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
