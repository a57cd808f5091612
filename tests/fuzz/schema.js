/** Listings that are nonsense, or nearly what real servers list: of each comes a workload that can be loaded. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { validator } from '../../analysis/schemas.ts';
import { addArguments } from '../../cli/discovery/arguments.ts';
import { toDocument } from '../../cli/discovery/document.ts';
import { ConfigError } from '../../contract/config-error.js';
import { chooseOperations } from '../../lib/choose.js';
import { anyJson, changed } from './generated.js';
import { orRefused } from './oracles.js';
import { property } from './property.js';

const problemOf = validator('../lib/workload-document.schema.json');

/** What real servers list. @type {any[]} */
const LISTED = JSON.parse(
  readFileSync(new URL('../unit/cli/discovery/fixtures/tools.json', import.meta.url), 'utf8'),
);
const TOOLS = LISTED.flatMap((one) => one.tools ?? [one]).map((tool) => ({
  annotations: { readOnlyHint: true },
  ...tool,
}));
const RESOURCES = [{ uri: 'file:///a', name: 'a', mimeType: 'text/plain', size: 5 }];
const TEMPLATES = [{ uriTemplate: 'file:///{a}/{b}', name: 'b' }];
const PROMPTS = [{ name: 'p', arguments: [{ name: 'x', required: true }, { name: 'y' }] }];

/** @type {import('./property.js').Area} */
const area = {
  name: 'schema',
  properties: [
    property({
      name: 'of whatever a server lists comes a workload that can be loaded, or one line',
      runs: 30,
      input: fc.record({
        era: fc.constantFrom(/** @type {const} */ ('modern'), /** @type {const} */ ('legacy')),
        tools: fc.array(fc.oneof({ weight: 3, arbitrary: changed(TOOLS) }, anyJson), { maxLength: 12 }),
        resources: fc.array(changed(RESOURCES), { maxLength: 2 }),
        templates: fc.array(changed(TEMPLATES), { maxLength: 2 }),
        prompts: fc.array(changed(PROMPTS), { maxLength: 2 }),
        named: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.array(fc.string(), { maxLength: 2 })),
      }),
      holds: async ({ era, named, ...listed }) => {
        const offer = { era, capabilities: {}, ...listed };
        const config = { TOOLS: named, ALLOW_WRITES: true };
        const chosen = orRefused(
          () =>
            chooseOperations(
              offer,
              config,
              () => ['one'],
              () => false,
            ),
          ConfigError,
        );
        if (!('value' in chosen)) return;
        const choice = chosen.value;
        await addArguments(choice, 1);
        if (Object.keys(choice.operations).length === 0) return;
        const server = { name: 'x', version: '1' };
        const document = toDocument({ era, version: '2025-11-25', server }, choice);
        assert.equal(problemOf(JSON.parse(JSON.stringify(document))), null);
      },
    }),
  ],
};
export default area;
