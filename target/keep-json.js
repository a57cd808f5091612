/** The dialect that MCP prescribes. */
const JSON_SCHEMA = 'draft-2020-12';

/**
 * A schema that makes its JSON form once. The SDK asks for it on every list, and zod would re-create it.
 * @param {import('zod').ZodType} schema
 * @returns {import('@modelcontextprotocol/server').StandardSchemaWithJSON}
 */
export function keepJson(schema) {
  const standard = schema['~standard'];
  const input = standard.jsonSchema.input({ target: JSON_SCHEMA });
  const output = standard.jsonSchema.output({ target: JSON_SCHEMA });
  return { '~standard': { ...standard, jsonSchema: { input: () => input, output: () => output } } };
}
