/** The manifests of one run: the rendered kustomization, with values that are unique to the run. */
import { randomBytes } from 'node:crypto';
import { resultName } from '../../analysis/result-name.ts';
import { broken, quotable, usage } from '../../cli/ending.ts';
import { scriptOf } from '../../contract/tests.js';
import { SPLIT } from '../../scripts/test-reference.ts';

/** An object as rendered by kustomize. */
export interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string };
  // biome-ignore lint/suspicious/noExplicitAny: of any kind
  [field: string]: any;
}

export interface Run {
  testid: string;
  /** The name of the TestRun. */
  name: string;
  namespace: string;
  collector: string;
  /** The names of the Jobs. */
  runners: string[];
  manifests: Manifest[];
}

/**
 * @param manifests base/ with the user's changes
 * @returns the manifests with a unique TESTID (unless one is given), which also becomes a label of the runners, and a
 * token
 *   with which the runners deliver their results
 * @throws {Ending} if the manifests do not describe a valid run
 */
export function runOf(manifests: Manifest[], token = randomBytes(32).toString('hex')): Run {
  const [testrun, variables, job] = [
    only(manifests, 'TestRun'),
    only(manifests, 'ConfigMap', 'mcp-load-lab-run'),
    only(manifests, 'Job'),
  ];
  const { TEST: test = '' } = variables.data;
  if (!SPLIT.includes(test)) throw usage(`TEST is "${quotable(test)}"; valid: ${SPLIT.join(', ')}`);
  const testid = variables.data.TESTID || resultName(test);
  // Must be a valid label value.
  if (!/^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(testid)) {
    const valid =
      'up to 63 letters, digits, dots, hyphens and underscores, a letter or a digit first and last';
    throw usage(`TESTID is "${quotable(testid)}"; valid: ${valid}`);
  }
  variables.data.TESTID = testid;
  testrun.spec.script.localFile = scriptOf(test);
  testrun.spec.runner.metadata.labels.testid = testid;
  const { name, namespace = 'default' } = testrun.metadata;
  const runners = Array.from({ length: testrun.spec.parallelism }, (_, index) => `${name}-${index + 1}`);
  job.spec.template.spec.containers[0].env.push({ name: 'RUNNERS', value: runners.join() });
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'mcp-load-lab-token', namespace },
    stringData: { K6_LAB_TOKEN: token },
  };
  return {
    ...{ testid, name, namespace, runners },
    collector: job.metadata.name,
    manifests: [secret, ...manifests],
  };
}

function only(manifests: Manifest[], kind: string, name?: string): Manifest {
  const [found, ...more] = manifests.filter(
    (one) => one.kind === kind && (name === undefined || one.metadata.name === name),
  );
  if (!found || more.length > 0)
    throw broken(
      `the kustomization has ${more.length + Number(Boolean(found))} ${kind}s, expected one of base/`,
    );
  return found;
}
