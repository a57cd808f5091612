/** Input that is wrong in the ways in which input is wrong: texts, JSON values, and real documents that were damaged. */
import fc from 'fast-check';

/** Texts that programs have stumbled over. */
const NASTY = [
  ...[
    '',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\0',
    '\u001b[31m',
    '\u007f',
    '\u009b',
    '\u2028',
    '\u202e',
    '\ufeff',
    '\ufffd',
    '\ud800',
  ],
  ...[
    'NaN',
    'Infinity',
    '-0',
    '-1',
    '1e999',
    '1e-400',
    '0x10',
    '٣',
    '1,5',
    '9'.repeat(400),
    '99999999999999999999',
  ],
  ...[
    '{',
    '[]',
    '""',
    'null',
    'true',
    '{"a":1}',
    '{"a":{"b":[null]}}',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ],
  ...['../../etc/passwd', '$(id)', '`id`', '%s%n', "'", '"', '\\', '<script>', '=1+1', 'x'.repeat(5000)],
];

export const nasty = fc.constantFrom(...NASTY);

/** Any text, often short, now and then with what no one types. */
export const anyText = fc.oneof(
  nasty,
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/**
 * A text that is nearly right: pieces are taken out, doubled, and put in.
 *
 * @param {fc.Arbitrary<string>} right
 * @param {number} [most] changes
 */
export const nearly = (right, most = 3) =>
  fc
    .tuple(
      right,
      fc.array(
        fc.record({
          at: fc.nat(2 ** 20),
          out: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(2000)),
          put: fc.oneof(
            fc.constant(''),
            nasty,
            fc.string({ unit: 'binary', maxLength: 3 }),
            fc.constant(null),
          ),
        }),
        { maxLength: most },
      ),
    )
    .map(([text, changes]) =>
      changes.reduce((so, { at, out, put }) => {
        const from = at % (so.length + 1);
        const taken = so.slice(from, from + out);
        return so.slice(0, from) + (put === null ? taken + taken : put) + so.slice(from + out);
      }, text),
    );

/** A JSON value of a kind that is not expected. */
export const anyJson = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1,
    0.5,
    1e308,
    -1e308,
    5e-324,
    2 ** 53,
    '',
    [],
    {},
    [null],
    [[]],
    { a: null },
  ),
  fc.constantFrom(...['__proto__', 'constructor'].map((name) => JSON.parse(`{"${name}": {"x": 1}}`))),
  // Objects that can't be made a text of, and lists that are none.
  fc.constantFrom({ toString: 1 }, { toJSON: 1, valueOf: null }, { length: 2 ** 32 }, [{ toString: null }]),
  nasty,
  fc.jsonValue({ maxDepth: 3 }),
);

/**
 * One change of a JSON document: where (which child of which child), and what is done there.
 *
 * @typedef {{steps: number[], what: 'replace' | 'remove' | 'double' | 'rename' | 'scale' | 'text', value: any, factor: number}} Change
 */

/** @type {fc.Arbitrary<Change>} */
const change = fc.record({
  steps: fc.array(fc.nat(10_000), { minLength: 1, maxLength: 8 }),
  what: fc.constantFrom('replace', 'replace', 'remove', 'double', 'rename', 'scale', 'text'),
  value: anyJson,
  factor: fc.constantFrom(-1, 0, 1e-9, 0.5, 2, 1000, 1e300),
});

/**
 * A document, changed at one to three places.
 *
 * @param {readonly any[]} documents
 * @param {number} [most] changes
 * @returns {fc.Arbitrary<any>}
 */
export const changed = (documents, most = 3) =>
  fc
    .tuple(fc.constantFrom(...documents), fc.array(change, { minLength: 1, maxLength: most }))
    .map(([document, changes]) => {
      const holder = { document: structuredClone(document) };
      for (const one of changes) apply(holder, one);
      return holder.document;
    });

/** @param {any} holder @param {Change} change */
function apply(holder, { steps, what, value: shared, factor }) {
  const value = structuredClone(shared);
  let [parent, key] = [holder, 'document'];
  for (const step of steps) {
    const node = parent[key];
    const keys = typeof node === 'object' && node !== null ? Object.keys(node) : [];
    if (keys.length === 0) break;
    [parent, key] = [node, /** @type {string} */ (keys[step % keys.length])];
  }
  const node = parent[key];
  // By definition: assigned, `__proto__` would be no member, as it is one in JSON.
  const put = (/** @type {string} */ name, /** @type {unknown} */ one) =>
    Object.defineProperty(parent, name, { value: one, enumerable: true, configurable: true, writable: true });
  switch (what) {
    case 'remove':
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete parent[key];
      break;
    case 'double':
      if (Array.isArray(parent)) parent.splice(Number(key), 0, structuredClone(node));
      else put(`${key}2`, structuredClone(node));
      break;
    case 'rename':
      if (Array.isArray(parent)) parent.reverse();
      else {
        delete parent[key];
        put(typeof value === 'string' ? value.slice(0, 50) : 'renamed', node);
      }
      break;
    case 'scale':
      put(key, typeof node === 'number' ? node * factor : value);
      break;
    case 'text':
      put(key, typeof node === 'string' ? node + JSON.stringify(value) : JSON.stringify(node));
      break;
    default:
      put(key, value);
  }
}

/**
 * A document as text, cut off, with a byte order mark, or otherwise damaged.
 *
 * @param {readonly any[]} documents
 */
export const damagedText = (documents) =>
  fc.oneof(
    nearly(fc.constantFrom(...documents.map((document) => JSON.stringify(document)))),
    changed(documents).map((document) => JSON.stringify(document) ?? ''),
    fc.constantFrom('\ufeff{}', 'null', '[]', '0', '""', '{"schema":', '<html>502</html>', ''),
  );
