/** The JSON Schema dialect that MCP requires. */
const JSON_SCHEMA = 'draft-2020-12';

/**
 * Caches a schema's JSON form. The SDK requests it for every list, and zod would rebuild it each time.
 * @param {import('zod').ZodType} schema
 * @returns {import('@modelcontextprotocol/server').StandardSchemaWithJSON}
 */
export function keepJson(schema) {
  const standard = schema['~standard'];
  const input = standard.jsonSchema.input({ target: JSON_SCHEMA });
  const output = standard.jsonSchema.output({ target: JSON_SCHEMA });
  return { '~standard': { ...standard, jsonSchema: { input: () => input, output: () => output } } };
}
