/**
 * A TestRun of the k6-operator (k6.io/v1alpha1, 1.6), in terms of Kubernetes' own schemas. The operator's
 * CustomResourceDefinition is in no package registry: where it is at hand, K6_OPERATOR_CRD=file has the tests use that one.
 */

/** @param {string} name of Kubernetes' definitions */
const of = (name) => ({ $ref: `kubernetes#/definitions/io.k8s.${name}` });
/** @param {string} name */
const core = (name) => of(`api.core.v1.${name}`);
/** @param {any} items */
const list = (items) => ({ type: 'array', items });
const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };

/** @param {Record<string, any>} properties @param {string[]} [required] */
const closed = (properties, required = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const container = {
  image: text,
  env: list(core('EnvVar')),
  envFrom: list(core('EnvFromSource')),
  resources: core('ResourceRequirements'),
  volumeMounts: list(core('VolumeMount')),
};

const pod = closed({
  ...container,
  disabled: { type: 'boolean' },
  affinity: core('Affinity'),
  automountServiceAccountToken: text,
  imagePullSecrets: list(core('LocalObjectReference')),
  imagePullPolicy: text,
  metadata: closed({ annotations: texts, labels: texts }),
  nodeSelector: texts,
  tolerations: list(core('Toleration')),
  topologySpreadConstraints: list(core('TopologySpreadConstraint')),
  serviceAccountName: text,
  securityContext: core('PodSecurityContext'),
  containerSecurityContext: core('SecurityContext'),
  readinessProbe: core('Probe'),
  livenessProbe: core('Probe'),
  initContainers: list(
    closed({
      ...container,
      name: text,
      command: list(text),
      args: list(text),
      workingDir: text,
      restartPolicy: text,
    }),
  ),
  volumes: list(core('Volume')),
  priorityClassName: text,
  schedulerName: text,
});

export const testRunSchema = closed(
  {
    apiVersion: { const: 'k6.io/v1alpha1' },
    kind: { const: 'TestRun' },
    metadata: of('apimachinery.pkg.apis.meta.v1.ObjectMeta'),
    spec: closed(
      {
        script: closed({
          localFile: text,
          configMap: closed({ name: text, file: text }, ['name']),
          volumeClaim: closed({ name: text, file: text, readOnly: { type: 'boolean' } }, ['name']),
        }),
        parallelism: { type: 'integer' },
        separate: { type: 'boolean' },
        arguments: text,
        args: list(text),
        ports: list(core('ContainerPort')),
        initializer: pod,
        starter: pod,
        runner: pod,
        quiet: text,
        paused: text,
        cleanup: { enum: ['post'] },
      },
      ['script', 'parallelism'],
    ),
  },
  ['metadata', 'spec'],
);
