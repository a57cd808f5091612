#!/usr/bin/env node
/**
 * Judges a run of which k6 has ended (judge.js), and exits with the verdict's code.
 */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { cleanText, secretsOf } from './clean-text.js';
import { judge } from './judge.js';

const USAGE =
  'usage: node analysis/main.js <results-dir> --k6-exit <0..255> [--prometheus <url>] [--server <label>] [--knobs <NAME=value ...>] [--k6-version <x.y.z>] [--streamed-until <Unix time>]';
/** Not one of a verdict's codes: the analysis itself could not do its work. */
const BROKEN = 1;

class UsageError extends Error {}

/** @param {string[]} args @returns {Parameters<typeof judge>[0]} @throws {UsageError} */
function parse(args) {
  /** @type {{values: Record<string, string | undefined>, positionals: string[]}} */
  let parsed;
  try {
    parsed = parseArgs({
      args,
      allowPositionals: true,
      options: {
        'k6-exit': { type: 'string' },
        prometheus: { type: 'string' },
        // The label `server` of the rules that watch the server under test.
        server: { type: 'string', default: '' },
        // Those of the reference target that are not at their defaults.
        knobs: { type: 'string', default: '' },
        'streamed-until': { type: 'string' },
        'k6-version': { type: 'string', default: process.env.K6_VERSION ?? '' },
      },
    });
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message);
  }
  const [directory, ...extra] = parsed.positionals;
  const exit = parsed.values['k6-exit'] ?? '';
  if (!directory || extra.length > 0)
    throw new UsageError(`one results folder is needed, got ${parsed.positionals.length}`);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`no results folder ${directory}`);
  if (!/^\d{1,3}$/.test(exit) || Number(exit) > 255)
    throw new UsageError(`--k6-exit is "${exit}", valid: 0 to 255`);
  const until = parsed.values['streamed-until'];
  if (until !== undefined && !/^\d+(\.\d+)?$/.test(until))
    throw new UsageError(`--streamed-until is "${until}", valid: a Unix time in seconds`);
  if (until !== undefined && !parsed.values.prometheus)
    throw new UsageError('--streamed-until needs --prometheus, where the samples are');
  return {
    directory,
    streamedUntilS: until === undefined ? null : Number(until),
    k6Exit: Number(exit),
    prometheus: parsed.values.prometheus || null,
    server: parsed.values.server ?? '',
    knobs: parsed.values.knobs ?? '',
    // The number alone, of all that `k6 version` says.
    k6Version: /\d+\.\d+\.\d+[\w.-]*/.exec(parsed.values['k6-version'] ?? '')?.[0] ?? null,
  };
}

try {
  process.exitCode = await judge(parse(process.argv.slice(2)));
} catch (error) {
  const usage = error instanceof UsageError;
  const message = cleanText(error instanceof Error ? error.message : String(error), secretsOf(process.env));
  process.stderr.write(`analysis: ${message}\n${usage ? `${USAGE}\n` : ''}`);
  process.exitCode = usage ? 2 : BROKEN;
}
