import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { toolPath as pathOf } from '../cli/tool-path.ts';
import { scratchFolder } from './scratch.js';

scratchFolder();

/** What scripts/setup calls the tools that it has under another name. @type {Record<string, string>} */
const NEEDS = { chromium: 'browser' };
/** @type {Set<string>} needs that are there */
const known = new Set();

/** @param {...string} needs of scripts/setup, which shows its progress */
export function setUp(...needs) {
  const missing = needs.filter((need) => !known.has(need));
  if (missing.length === 0) return;
  const { status } = spawnSync('scripts/setup', missing, { stdio: ['ignore', 'inherit', 'inherit'] });
  assert.equal(status, 0, `scripts/setup ${missing.join(' ')}`);
  for (const need of missing) known.add(need);
}

/**
 * @param {Parameters<typeof pathOf>[0]} name of a tool, which is built or installed where it is missing
 * @returns {string} its path
 */
export function toolPath(name) {
  setUp(NEEDS[name] ?? name);
  return pathOf(name);
}
