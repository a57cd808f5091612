/**
 * The tests' output: a line a test, the whole error of each that failed, and at the end one plain line that
 * counts; how much input the fuzz tests tried is said, too. Where TEST_COUNTS names a file, the counts are added to it for tests/main.js to sum up.
 */
import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * @param {AsyncIterable<{type: string, data: any}>} events of Node's test runner
 * @returns {AsyncGenerator<string>}
 */
export default async function* report(events) {
  let passed = 0;
  let failed = 0;
  let file = '';
  for await (const { type, data } of events) {
    if (type === 'test:diagnostic' && data.message.startsWith('fuzz ')) yield `    ${data.message}\n`;
    if (type !== 'test:pass' && type !== 'test:fail') {
      if (type === 'test:stderr') yield data.message;
      continue;
    }
    if (data.details?.type === 'suite' && type === 'test:pass') continue;
    if (data.file && data.file !== file) {
      file = data.file;
      yield `${relative(process.cwd(), file)}\n`;
    }
    const ms = Math.round(data.details?.duration_ms ?? 0);
    const skipped = data.skip !== undefined || data.todo !== undefined;
    // A suite fails with its tests, which are counted themselves.
    const counts = data.details?.type !== 'suite' && !skipped;
    if (type === 'test:pass') {
      if (counts) passed += 1;
      yield `  ${skipped ? '-' : 'ok'} ${data.name} (${ms} ms)${skipped ? ` skipped: ${data.skip ?? data.todo}` : ''}\n`;
    } else {
      if (counts) failed += 1;
      const error = data.details?.error;
      const cause = error?.cause ?? error;
      // Of a file that ended before its tests did.
      const how =
        error?.exitCode || error?.signal ? ` (exit code ${error.exitCode}, signal ${error.signal})` : '';
      yield `  FAILED ${data.name} (${ms} ms)\n    ${`${cause?.stack ?? cause}${how}`.replaceAll('\n', '\n    ')}\n`;
    }
  }
  if (process.env.TEST_COUNTS) appendFileSync(process.env.TEST_COUNTS, `${passed} ${failed}\n`);
  else yield `${passed} passed, ${failed} failed\n`;
}
