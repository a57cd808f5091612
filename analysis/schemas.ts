import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { cleanText } from './clean-text.ts';

const MAX_PROBLEM = 500;

/** Each run compiles them: a test looks once for all whether they are schemas. */
const ajv = new Ajv2020({
  allErrors: false,
  verbose: true,
  allowUnionTypes: true,
  validateSchema: false,
  code: { optimize: false },
});
formats.default(ajv);

/** @param file a JSON Schema beside this module @returns the first thing that is wrong with a document, in one line; null = valid */
export function validator(file: string): (document: unknown) => string | null {
  const schema = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
  // Others refer to it. It is compiled where it is needed, if at all.
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
    // It has names in it that are the document's own.
    return cleanText(
      `${error?.instancePath || '/'} ${error?.message}${details && ` (${details})`}`,
      [],
      MAX_PROBLEM,
    );
  };
}
