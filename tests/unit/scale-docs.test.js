import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';

const text = readFileSync('docs/scale.md', 'utf8');

/** @param {RegExp} pattern @returns {number[]} what it captures */
const found = (pattern) => (pattern.exec(text) ?? assert.fail(`${pattern}`)).slice(1).map(Number);

test('the table of docs/scale.md follows from the arithmetic above it', () => {
  const [requestUs = 0, share = 0] = found(/cores +=.* (\d+) µs \/ (\d+)%/);
  const [userMb = 0] = found(/memory +=.* ([\d.]+) MB/);
  const [cores = 0, most = 0] = found(/runners +=.* cores \/ ([\d.]+) and memory \/ 1,(\d+) MB/);
  const [series = 0, scraped = 0, samples = 0, scrapes = 0] = found(
    /series +=.*\((\d+) \+ (\d+)\) +samples\/s =.*\((\d+) \+ (\d+)\)/,
  );
  assert.equal(scraped / 2, scrapes);
  const rows = [...text.matchAll(/^\| ([\d,]+) \| (.*) \|$/gm)];
  assert.equal(rows.length, 5);
  for (const [, first = '', rest] of rows) {
    const rate = Number(first.replaceAll(',', ''));
    const needed = (rate * requestUs) / 1e6 / (share / 100);
    const users = rate * 0.2;
    const runners = Math.ceil(Math.max(needed / cores, (users * userMb) / (1000 + most)));
    const cells = [
      needed.toFixed(1),
      users.toLocaleString('en'),
      `${((users * userMb) / 1000).toFixed(1)} GB`,
      runners.toLocaleString('en'),
      (runners * (series + scraped)).toLocaleString('en'),
      (runners * (samples + scrapes)).toLocaleString('en'),
      ...[650, 1080].map((bytes) => `${((rate * (bytes + 132) * 8) / 1e9).toFixed(3)} Gbit/s`),
    ];
    assert.equal(rest, cells.join(' | '), first);
  }
});

test('a runner has what docs/scale.md reckons with', () => {
  const { runner } = parse(readFileSync('deploy/kubernetes/base/testrun.yaml', 'utf8')).spec;
  assert.equal(runner.resources.requests.cpu, '1500m');
  assert.match(readFileSync('deploy/kubernetes/base/run.env', 'utf8'), /^GOMEMLIMIT=1536MiB$/m);
  assert.equal(Math.floor((1536 * 1024 ** 2) / 1e6), 1610);
});
