/** `make conformance`: every scenario of every version, a line each. */
import { runScenario, runs } from './suite.js';

let failed = 0;
for (const { scenario, version } of await runs()) {
  const { passed, expected, summary, output } = await runScenario(scenario, version);
  const word = passed ? 'passed' : expected ? 'fails as expected' : 'FAILED';
  console.log(`${version.padEnd(10)}  ${scenario.padEnd(36)} ${word} (${summary})`);
  if (!expected) {
    failed += 1;
    console.log(output);
  }
}
process.exitCode = failed > 0 ? 1 : 0;
