/** The judge: Ajv, which none of the code under test knows. */
import Ajv07 from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** @param {any} Ajv */
function judge(Ajv) {
  const ajv = new Ajv({
    strict: false,
    logger: false,
    // What makes thousands of schemas fast to compile.
    validateSchema: false,
    code: { optimize: false },
  });
  // @ts-expect-error the package's types describe CommonJS, where the function is `default`
  addFormats(ajv);
  return ajv;
}

const draft07 = judge(Ajv07);
const draft2020 = judge(Ajv2020);

export const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

/**
 * @param {any} schema
 * @returns {(value: unknown) => boolean} by draft-07 where `$schema` names it, else by 2020-12
 */
export function compileWithAjv(schema) {
  const ajv = schema.$schema === DRAFT_07 ? draft07 : draft2020;
  const validate = ajv.compile(schema);
  ajv.removeSchema(schema);
  return (value) => validate(value);
}
