/**
 * A separate program that generates arguments for a server's schemas. Schemas are untrusted: a pattern may
 * never finish matching, and a length may exhaust memory. The parent process therefore limits this program's
 * time and memory. The program reads `Task[]` from standard input and writes one `Made` per line.
 */
import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { generateSync } from 'json-schema-faker';
import { longText } from './long-text.ts';

/** Time limit per schema. */
const SCHEMA_MS = 2000;
/** Time limit of the search for an argument that accepts long text. */
const LONG_TEXT_MS = 200;
/** Stop after this many attempts in a row without a new result. */
const MAX_FRUITLESS = 20;
/** Maximum length of the arguments, in characters of JSON. */
const MAX_ARGUMENTS = 65_536;

export interface Task {
  schema: unknown;
  count: number;
  seed: number;
}

export type Made = { arguments: Record<string, unknown>[]; long_text?: string } | { impossible: string };

/**
 * Generates argument sets. The first one is the simplest: required members only, from the schema's defaults
 * and examples. A higher count never changes the earlier sets. All sets are valid (checked with ajv) and
 * distinct.
 */
function make({ schema, count, seed }: Task): Made {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return { impossible: 'its inputSchema is not an object' };
  const whole = { type: 'object', ...schema };
  const validate = compile(whole);
  const found = new Set<string>();
  let reason = '';
  let last = 0;
  for (let index = 0; found.size < count && index - last <= MAX_FRUITLESS; index += 1) {
    try {
      const made = generateSync(whole, {
        seed: seed + index,
        optionalsProbability: index === 0 ? 0 : 0.5,
        useDefaultValue: index % 2 === 0,
        useExamplesValue: index % 2 === 0,
        refDepthMax: 3,
        outputTransform: plain,
      });
      const text = JSON.stringify(made);
      if (!text.startsWith('{')) reason ||= 'it is not for an object';
      else if (text.length > MAX_ARGUMENTS) {
        reason ||= `they have ${text.length} characters; at most ${MAX_ARGUMENTS} are sent`;
        if (found.size > 0) break;
      } else if (validate(made)) {
        if (!found.has(text)) last = index;
        found.add(text);
      } else reason ||= problemOf(validate);
    } catch (error) {
      reason ||= String(error);
    }
  }
  if (found.size === 0) return { impossible: reason };
  return { arguments: [...found].map((text) => JSON.parse(text)) };
}

/**
 * Compiles a schema by the draft that it names; MCP's default is 2020-12.
 *
 * @throws if it has unresolvable references
 */
function compile(schema: Record<string, unknown>): ValidateFunction {
  const draft = String(schema.$schema);
  const By = /draft-0[467]/.test(draft) ? Ajv : draft.includes('2019-09') ? Ajv2019 : Ajv2020;
  const compileBy = (options: Options) => {
    // With allErrors the generated code is flat; otherwise the checks of ten thousand members would be
    // nested.
    const ajv = new By({
      strict: false,
      validateSchema: false,
      logger: false,
      allErrors: true,
      code: { optimize: false },
      ...options,
    });
    addFormats.default(ajv);
    return ajv.compile(schema);
  };
  try {
    return compileBy({});
  } catch {
    // Not all patterns are valid in the stricter Unicode mode.
    return compileBy({ unicodeRegExp: false });
  }
}

function problemOf({ errors }: ValidateFunction): string {
  const [error] = errors ?? [];
  return `${error?.instancePath} ${error?.message}`.trim();
}

const WORDS =
  'amber anchor birch canyon delta ember fjord garden harbor island lantern meadow orchid river summit willow'.split(
    ' ',
  );
const FEW = 100;
const MANY = Number.MAX_SAFE_INTEGER;

interface Limits {
  default?: unknown;
  examples?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  exclusiveMaximum?: number;
}

/** Keywords that restrict the possible values. */
const LIMITING = ['pattern', 'format', 'contentEncoding', 'multipleOf', 'enum', 'const'];

/**
 * Returns a plain value if any value is valid: a small number, or two words, because a server may refuse an
 * empty text.
 */
function plain(value: unknown, schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return value;
  const { default: usual, examples = [], minLength = 0, maxLength = 100, ...bounds } = schema as Limits;
  if (LIMITING.some((keyword) => keyword in schema) || value === usual || [examples].flat().includes(value))
    return value;
  if (typeof value === 'number') {
    const { minimum = 0, exclusiveMinimum = -1, maximum = MANY, exclusiveMaximum = MANY } = bounds;
    const least = Math.ceil(Math.max(0, minimum, exclusiveMinimum + 1));
    const fits = least + FEW <= Math.min(maximum, exclusiveMaximum - 1);
    return fits ? least + (Math.abs(Math.round(value * 100)) % (100 * FEW)) / 100 : value;
  }
  if (typeof value !== 'string') return value;
  const sum = [...value].reduce((total, letter) => (total * 31 + letter.charCodeAt(0)) % 997, 7);
  const text = `${WORDS[sum % WORDS.length]} ${WORDS[(sum >> 4) % WORDS.length]}`;
  return text.length >= minLength && text.length <= maxLength ? text : value;
}

/** Runs work with a time limit, the only way to stop a regular expression. @throws if it takes longer */
function within<T>(milliseconds: number, work: () => T): T {
  Object.assign(globalThis, { work });
  return runInThisContext('work()', { timeout: milliseconds });
}

/** Finds an argument that accepts long text. Returns undefined if the schema is too slow. */
function longTextIn({ schema }: Task, made: Made): string | undefined {
  if ('impossible' in made) return;
  try {
    const whole = { type: 'object', ...(schema as Record<string, unknown>) };
    return within(LONG_TEXT_MS, () => longText(whole, made.arguments[0] ?? {}, compile(whole)));
  } catch {
    return;
  }
}

for (const task of JSON.parse(readFileSync(0, 'utf8')) as Task[]) {
  let made: Made;
  try {
    made = within(SCHEMA_MS, () => make(task));
    const pointer = longTextIn(task, made);
    if (pointer) made = { ...made, long_text: pointer } as Made;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const late = code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    made = { impossible: late ? `making them takes longer than ${SCHEMA_MS / 1000} s` : message };
  }
  process.stdout.write(`${JSON.stringify(made)}\n`);
}
