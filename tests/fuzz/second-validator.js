/**
 * A validator that keeps to the letter of the specification, for what Ajv can't tell. Ajv forgets, now and then, what one of
 * several branches has evaluated (as where one branch of an anyOf is an anyOf itself), takes what a failed `if` looked at
 * for evaluated, breaks at some schemas with unevaluatedProperties, and overlooks a draft-07 `contains` beside
 * `additionalItems`. This one takes a hundred times as long.
 */
import '@hyperjump/json-schema/draft-07';
import '@hyperjump/json-schema/formats';
import {
  registerSchema,
  setShouldValidateFormat,
  unregisterSchema,
  validate,
} from '@hyperjump/json-schema/draft-2020-12';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const ADDRESS = 'https://example.com/schema';

setShouldValidateFormat(true);

/**
 * One at a time: all are known by the same address.
 *
 * @param {any} schema of 2020-12, unless its `$schema` says draft-07
 * @param {any} value
 * @returns {Promise<boolean>}
 */
export async function isValidToTheLetter(schema, value) {
  registerSchema(schema, ADDRESS, DIALECT);
  try {
    return (await validate(ADDRESS, value)).valid;
  } finally {
    unregisterSchema(ADDRESS);
  }
}
