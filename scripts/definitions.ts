/** The definitions of all tests, read from their scripts. */
import { register } from 'node:module';
import { scriptOf, testNames } from '../contract/tests.js';
import type { TestDefinition } from '../lib/test.js';

let defined: TestDefinition | undefined;
Object.assign(globalThis, {
  defined: (definition: TestDefinition) => {
    defined = definition;
  },
  __ENV: {},
});
// A test script passes its definition to `defineTest`. This hook replaces its module by one that records the definition.
const DEFINE = `data:text/javascript,${encodeURIComponent(
  'export const defineTest = (definition) => (globalThis.defined(definition), {});',
)}`;
const HOOKS = `export const resolve = (specifier, context, next) =>
  specifier.endsWith('/lib/test.js') ? { url: ${JSON.stringify(DEFINE)}, shortCircuit: true } : next(specifier, context);`;
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`);

/** The values of `group`, in the order of lists and docs. */
export const GROUPS = [
  'load over time',
  'limits and tuning',
  'resources behind an API',
  'protocol and access',
  'around the server',
];

/** A test with the properties that lists and docs show. */
type ListedTest = TestDefinition & Required<Pick<TestDefinition, 'group' | 'about' | 'judgedBy'>>;

async function definitionOf(test: string): Promise<ListedTest> {
  await import(new URL(`../${scriptOf(test)}`, import.meta.url).href);
  if (defined?.name !== test) throw new Error(`${scriptOf(test)} does not define a test named ${test}`);
  const { group = '', about, judgedBy } = defined;
  if (!GROUPS.includes(group))
    throw new Error(`${test} has the group "${group}"; valid: ${GROUPS.join(', ')}`);
  if (!about || !judgedBy) throw new Error(`${test} needs the texts about and judgedBy`);
  return { ...defined, group, about, judgedBy };
}

/** All tests, in alphabetical order. */
export const definitions: ListedTest[] = [];
for (const test of testNames()) definitions.push(await definitionOf(test));
