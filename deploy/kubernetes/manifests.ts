/** What is applied for one run: a kustomization as it was rendered, with what no two runs share. */
import { randomBytes } from 'node:crypto';
import { resultName } from '../../analysis/result-name.ts';
import { broken, quotable, usage } from '../../cli/ending.ts';
import { scriptOf } from '../../contract/tests.js';
import { SPLIT } from '../../scripts/test-reference.ts';

/** As kustomize renders it. */
export interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string };
  // biome-ignore lint/suspicious/noExplicitAny: of any kind
  [field: string]: any;
}

export interface Run {
  testid: string;
  /** The TestRun's. */
  name: string;
  namespace: string;
  collector: string;
  /** The Jobs' names. */
  runners: string[];
  manifests: Manifest[];
}

/**
 * @param manifests of base/ and what was changed of it
 * @returns the same with a TESTID of its own, where none is given, which is a label of the runners, too; and with a token that lets
 *   the runners deliver
 * @throws {Ending} where it is no run that can be made
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
  // It is a label.
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
