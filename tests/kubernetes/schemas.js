/** Whether manifests are as Kubernetes and its operators want them: by their own schemas, and with no field that these lack. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { toolPath } from '../tool.js';
import { testRunSchema } from './testrun-schema.js';

/** The API server's own kinds that are used here. */
const CORE = {
  'v1/Namespace': 'io.k8s.api.core.v1.Namespace',
  'networking.k8s.io/v1/NetworkPolicy': 'io.k8s.api.networking.v1.NetworkPolicy',
  'v1/ConfigMap': 'io.k8s.api.core.v1.ConfigMap',
  'v1/Secret': 'io.k8s.api.core.v1.Secret',
  'v1/Service': 'io.k8s.api.core.v1.Service',
  'batch/v1/Job': 'io.k8s.api.batch.v1.Job',
};
const MONITORING = ['servicemonitors', 'prometheusrules'];

/**
 * @param {any} schema of the OpenAPI of Kubernetes, or of a CustomResourceDefinition
 * @returns {any} one that JSON Schema understands alike, and that refuses unknown fields, which the API server drops
 */
function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string')
    return { type: ['integer', 'string'] };
  const own = Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => !['description', 'format', 'default', 'example'].includes(name))
      .filter(([name]) => !name.startsWith('x-kubernetes'))
      .map(([name, value]) =>
        // Its members are fields, whatever they are called.
        name === 'properties' || name === 'definitions'
          ? [name, Object.fromEntries(Object.entries(value).map(([field, of]) => [field, strict(of)]))]
          : [name, strict(value)],
      ),
  );
  const open = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties !== undefined;
  return own.properties && !open ? { ...own, additionalProperties: false } : own;
}

/** @param {string} file a CustomResourceDefinition @returns {Record<string, any>} schemas by apiVersion/kind */
function schemasOf(file) {
  const { spec } = parse(readFileSync(file, 'utf8'));
  return Object.fromEntries(
    spec.versions.map((/** @type {any} */ { name, schema }) => {
      const own = schema.openAPIV3Schema;
      // Any has one, and a CustomResourceDefinition says no more of it.
      own.properties.metadata = {
        $ref: 'kubernetes#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
      };
      return [`${spec.group}/${name}/${spec.names.kind}`, strict(own)];
    }),
  );
}

/** Go's expressions say in their text what JavaScript says next to it. @param {string} pattern @param {string} flags */
function regExp(pattern, flags) {
  const plain = pattern.replace('(?i)', '');
  return new RegExp(plain, plain === pattern ? flags : `${flags}i`);
}
regExp.code = 'regExp';

/**
 * @param {string} [testRunCrd] the operator's CustomResourceDefinition; without, this project's schema of a TestRun
 * @returns {(manifest: any) => string[]} what is wrong with it, a line each
 */
export function checker(testRunCrd) {
  const folder = toolPath('kubernetes-schemas');
  const { definitions } = JSON.parse(readFileSync(`${folder}/kubernetes.json`, 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true, code: { regExp } });
  // Documented as a number, too: the API server takes both.
  definitions['io.k8s.apimachinery.pkg.api.resource.Quantity'] = { type: ['string', 'number'] };
  ajv.addSchema({ $id: 'kubernetes', definitions: strict(definitions) });
  /** @type {Record<string, any>} */
  const schemas = {
    ...Object.fromEntries(
      Object.entries(CORE).map(([kind, name]) => [kind, { $ref: `kubernetes#/definitions/${name}` }]),
    ),
    ...Object.assign(
      {},
      ...MONITORING.map((name) => schemasOf(`${folder}/monitoring.coreos.com_${name}.yaml`)),
    ),
    ...(testRunCrd ? schemasOf(testRunCrd) : { 'k6.io/v1alpha1/TestRun': testRunSchema }),
  };
  /** @type {Map<string, import('ajv').ValidateFunction>} */
  const validators = new Map();
  return (manifest) => {
    const kind = `${manifest.apiVersion}/${manifest.kind}`;
    const schema = schemas[kind];
    if (!schema) return [`${kind}: no schema`];
    const validate = validators.get(kind) ?? ajv.compile(schema);
    validators.set(kind, validate);
    if (validate(manifest)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${kind}${instancePath}: ${message} ${params.additionalProperty ?? params.allowedValues ?? ''}`.trim(),
    );
  };
}
