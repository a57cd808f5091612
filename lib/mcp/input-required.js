/**
 * What a modern server asks for before it goes on (`resultType: input_required`), answered where that takes neither a
 * model nor a person: forms are filled in from their schema, and there are no roots.
 */

/** Characters of a field. A form that demands longer ones is not filled in. */
const MAX_LENGTH = 10_000;

const TEXT_BY_FORMAT = /** @type {Record<string, string>} */ ({
  email: 'load@example.com',
  uri: 'https://example.com/',
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
});

/**
 * @param {any} result of type `input_required`
 * @returns {Record<string, unknown> | null} the members that the repeated request has on top of its own parameters;
 *   null: something is asked for that this client can't give
 */
export const inputParams = (result) => {
  try {
    return paramsFor(result);
  } catch {
    // A form with a schema that is none.
    return null;
  }
};

/** @param {any} result */
const paramsFor = (result) => {
  const requests = result.inputRequests;
  if (requests !== undefined && (typeof requests !== 'object' || requests === null)) return null;
  if (requests === undefined && result.requestState === undefined) return null;
  /** @type {Record<string, unknown>} */
  const params = {};
  if (requests !== undefined) {
    const responses = Object.entries(requests).map(([key, request]) => [key, respond(request)]);
    if (responses.some(([, response]) => response === null)) return null;
    params.inputResponses = Object.fromEntries(responses);
  }
  if (result.requestState !== undefined) params.requestState = result.requestState;
  return params;
};

/** @param {any} request */
const respond = (request) => {
  if (request?.method === 'roots/list') return { roots: [] };
  if (request?.method !== 'elicitation/create' || (request.params?.mode ?? 'form') !== 'form') return null;
  const fields = Object.entries(request.params?.requestedSchema?.properties ?? {});
  return {
    action: 'accept',
    content: Object.fromEntries(fields.map(([name, field]) => [name, fieldValue(field)])),
  };
};

/**
 * @param {any} field a form's field: text, number, boolean or a choice, never nested
 * @returns {unknown} its default, or else the plainest value that it allows
 */
const fieldValue = (field) => {
  if (field.default !== undefined) return field.default;
  const choices = field.enum ?? field.oneOf?.map((/** @type {any} */ choice) => choice.const);
  if (choices) return choices[0];
  switch (field.type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number': {
      const least = Math.ceil(field.minimum ?? Math.min(0, field.maximum ?? 0));
      return least <= (field.maximum ?? least) ? least : field.minimum;
    }
    case 'array': {
      const { items = {}, minItems = 0 } = field;
      const all = items.enum ?? (items.anyOf ?? []).map((/** @type {any} */ choice) => choice.const);
      return all.slice(0, minItems);
    }
    default:
      return TEXT_BY_FORMAT[field.format] ?? textOf(field);
  }
};

/** @param {{minLength?: number, maxLength?: number}} field @throws {RangeError} */
const textOf = ({ minLength = 0, maxLength = 4 }) => {
  if (minLength > MAX_LENGTH) throw new RangeError('the text is too long');
  return 'load'.slice(0, maxLength).padEnd(minLength, 'd');
};
