/** The analysis takes its schemas for granted; here they are looked at. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { projectFiles } from '../../project-files.js';

const schemas = projectFiles().filter((name) =>
  /^(analysis|contract|pipeline)\/.*\.schema\.json$/.test(name),
);

test('every schema of the analysis is one, and says nothing that is not understood', () => {
  assert.ok(schemas.includes('analysis/run.schema.json'), schemas.join());
  const ajv = new Ajv2020({ allowUnionTypes: true });
  formats.default(ajv);
  const all = schemas.map((name) => JSON.parse(readFileSync(name, 'utf8')));
  for (const schema of all) ajv.addSchema(schema);
  for (const { $id } of all) assert.ok(ajv.getSchema($id), $id);
});
