/** `make conformance`: every scenario of every version, a line each. */
import { runScenario, scenarios } from './suite.js';

let failed = 0;
for (const scenario of await scenarios()) {
  const start = `${(scenario.version || 'extension').padEnd(10)}  ${scenario.scenario.padEnd(41)}`;
  if (scenario.excluded) {
    console.log(`${start} not run: ${scenario.excluded}`);
    continue;
  }
  const { passed, summary, output } = await runScenario(scenario);
  console.log(`${start} ${passed ? 'passed' : 'FAILED'} (${summary})`);
  if (!passed) {
    failed += 1;
    console.log(output);
  }
}
process.exitCode = failed > 0 ? 1 : 0;
