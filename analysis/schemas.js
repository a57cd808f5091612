import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const ajv = new Ajv2020({ allErrors: false, allowUnionTypes: true });
formats.default(ajv);

/**
 * @param {string} file a JSON Schema beside this module
 * @returns {(document: unknown) => string | null} the first thing that is wrong with a document, null = valid
 */
export function validator(file) {
  const validate = ajv.compile(JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')));
  return (document) => {
    if (validate(document)) return null;
    const [error] = validate.errors ?? [];
    const extra = error?.params.additionalProperty ?? error?.params.unevaluatedProperty;
    return `${error?.instancePath || '/'} ${error?.message}${extra === undefined ? '' : ` (${extra})`}`;
  };
}
