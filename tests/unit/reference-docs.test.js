/** What the documentation says of the code, where the code can say it itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAGES, renew } from '../../scripts/reference.js';

for (const page of Object.keys(PAGES)) {
  test(`${page} is what the code says; \`make docs\` writes it`, async () => {
    const { text, renewed } = await renew(page);
    assert.ok(text === renewed, `${page} is not of this version: make docs`);
  });
}
