/** What the cluster tells of a run: is it over, and what became of each runner. */

/**
 * @typedef {object} Ended
 * @property {string} testid
 * @property {string} test
 * @property {string[]} pods the runners'
 * @property {number} k6Exit 0 where each runner ended with it, else the first other one
 * @property {number} startedS Unix time, of the first
 * @property {number} endedS Unix time, of the last
 *
 * @typedef {{code: number, problem: string}} NotJudged code: to exit with
 */

/**
 * @param {any} testrun a TestRun
 * @param {Record<string, string>} variables of the ConfigMap mcp-load-lab-run
 * @param {any[]} pods the runners' Pods
 * @returns {Ended | NotJudged}
 */
export function afterRun(testrun, variables, pods) {
  const { name } = testrun.metadata;
  const { parallelism } = testrun.spec;
  const stage = testrun.status?.stage ?? 'new';
  const { TESTID: testid = '', TEST: test = '' } = variables;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(testid)) {
    const valid = 'up to 63 letters, digits, dots, hyphens and underscores, a letter or a digit first';
    return { code: 2, problem: `TESTID of the ConfigMap mcp-load-lab-run is "${testid}"; valid: ${valid}` };
  }
  if (stage === 'error') {
    const problem = `the operator could not run ${name}; see why: kubectl logs job/${name}-initializer`;
    return { code: 2, problem };
  }
  if (stage !== 'finished') {
    const wait = `kubectl wait testrun/${name} --for=jsonpath={.status.stage}=finished --timeout=1h`;
    return { code: 2, problem: `${name} is not over, its stage is "${stage}"; wait for it: ${wait}` };
  }
  const ends = pods.map(({ status }) => status.containerStatuses?.[0]?.state?.terminated);
  const known = ends.filter(Boolean).length;
  if (known !== parallelism) {
    const problem = `the cluster tells of ${known} of ${parallelism} runners of ${name} how they ended: not judged`;
    return { code: 98, problem };
  }
  return {
    testid,
    test,
    pods: pods.map(({ metadata }) => metadata.name),
    k6Exit: ends.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0,
    startedS: Math.min(...ends.map(({ startedAt }) => Date.parse(startedAt) / 1000)),
    endedS: Math.max(...ends.map(({ finishedAt }) => Date.parse(finishedAt) / 1000)),
  };
}
