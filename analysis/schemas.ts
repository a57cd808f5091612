import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { cleanText } from './clean-text.ts';

const MAX_PROBLEM = 500;

/** Schemas are compiled in every run, so they are not validated here; a test does that. */
const ajv = new Ajv2020({
  allErrors: false,
  verbose: true,
  allowUnionTypes: true,
  validateSchema: false,
  code: { optimize: false },
});
formats.default(ajv);

/**
 * @param file a JSON Schema in this directory
 * @returns the first error of a document as a single line; null if it is valid
 */
export function validator(file: string): (document: unknown) => string | null {
  const schema = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
  // Other schemas may refer to this one. It is compiled only when it is needed.
  if (!ajv.schemas[schema.$id]) ajv.addSchema(schema);
  return (document) => {
    const validate = ajv.getSchema(schema.$id) as ValidateFunction;
    if (validate(document)) return null;
    const [error] = validate.errors ?? [];
    const { params = {}, parentSchema } = error ?? {};
    const extra = params.additionalProperty ?? params.unevaluatedProperty;
    const valid =
      params.allowedValues ?? params.allowedValue ?? (extra && Object.keys(parentSchema?.properties ?? {}));
    const about = extra === undefined ? parentSchema?.description : undefined;
    const details = [extra ?? error?.propertyName, valid && `valid: ${[valid].flat().join(', ')}`, about]
      .filter(Boolean)
      .join('; ');
    // The message may contain names from the document.
    return cleanText(
      `${error?.instancePath || '/'} ${error?.message}${details && ` (${details})`}`,
      [],
      MAX_PROBLEM,
    );
  };
}
