/** Runs of `make bench-attribution` as they were recorded: what was done to each has to be named. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { bottleneck } from '../../../../analysis/bottleneck/bottleneck.ts';

const FOLDER = new URL('fixtures/', import.meta.url);

/** Subject and cause by fixture; null: nothing broke. */
const TRUTH = /** @type {Record<string, [subject: string, cause: string] | null>} */ ({
  'cache-misses': ['cache', 'misses'],
  'cache-slow': ['cache', 'slow'],
  'cpu-burn': ['target CPU', 'machine'],
  'garbage-collection': ['memory', 'garbage collection'],
  generator: ['load generator', 'starved'],
  healthy: null,
  'host-cpu': ['host CPU', 'other processes'],
  locks: ['database', 'locks'],
  network: ['network', 'slow'],
  'pool-leak': ['connection pool', 'leak'],
  'pool-too-small': ['connection pool', 'too small'],
  'rate-limit': ['rate limiter', 'refusals'],
  'slow-statements': ['database', 'slow statements'],
  upstream: ['upstream service', 'slow'],
  // A tenth of the requests; its breaker opened, so that the mean was hardly longer than before.
  'upstream-timeouts': ['upstream service', 'slow'],
});

/** @param {string} name */
const recorded = (name) =>
  JSON.parse(gunzipSync(readFileSync(new URL(`${name}.json.gz`, FOLDER))).toString('utf8'));

test('every recorded run has a truth', () => {
  const names = readdirSync(FOLDER).flatMap((file) => /^(.+)\.json\.gz$/.exec(file)?.[1] ?? []);
  assert.deepEqual(names.sort(), Object.keys(TRUTH).sort());
});

for (const [name, truth] of Object.entries(TRUTH)) {
  test(`recorded: ${name}`, () => {
    const findings = bottleneck(recorded(name));
    if (!truth) return assert.deepEqual(findings, []);
    const [subject, cause] = truth;
    // The baseline may miss an objective by itself; the fault came after it.
    const finding = findings.at(-1);
    assert.equal(finding?.subject, subject, finding?.evidence.join('\n'));
    assert.equal(finding?.phase, 'spike');
    assert.ok(
      finding?.statement.startsWith(`the ${subject} limited the run in spike (${cause}): `),
      finding?.statement,
    );
    assert.doesNotMatch(finding?.statement ?? '', /[{}]|undefined|NaN|null/);
    const told = finding?.evidence.find((text) => text.startsWith('rank correlation'));
    assert.equal(told !== undefined, Number(finding?.figures.correlation_ratio) >= 0.1, told);
    const evidence = finding?.evidence ?? [];
    const doubted = evidence.some((text) =>
      text.startsWith('lowers confidence: at a given load, the rank correlation'),
    );
    if (doubted) assert.notEqual(finding?.confidence, 'high', evidence.join('\n'));
    const parts = evidence.find((text) => text.includes('longer on average')) ?? '';
    const shares = [...parts.matchAll(/([\d.]+) %/g)].map(([, share]) => Number(share));
    assert.ok(shares.reduce((sum, share) => sum + share, 0) <= 100, parts);
    assert.doesNotMatch(evidence.join('\n'), /UTC/);
  });
}

test('a phase that ends early in the timeline, a signal that goes away: no error, and nothing made up', () => {
  const run = recorded('locks');
  for (const name of Object.keys(run.timeline.signals)) {
    const { [name]: _, ...signals } = run.timeline.signals;
    const findings = bottleneck({ ...run, timeline: { ...run.timeline, signals } });
    assert.ok(findings.length > 0, name);
    for (const { statement } of findings) assert.doesNotMatch(statement, /[{}]|undefined|NaN|null/);
  }
  const none = bottleneck({ ...run, timeline: { ...run.timeline, signals: {} } });
  assert.deepEqual(
    none.map(({ confidence }) => confidence),
    ['inconclusive'],
  );
});
