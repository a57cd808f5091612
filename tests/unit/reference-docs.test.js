/** What the documentation says of the code, where the code can say it itself. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkDocument } from '../../lib/workload-document.js';
import { scriptVariables } from '../../scripts/configuration-reference.js';
import { clientMetrics } from '../../scripts/metric-reference.js';
import { PAGES, renew } from '../../scripts/reference.js';
import { readPage } from '../markdown.js';
import { projectFiles } from '../project-files.js';

for (const page of Object.keys(PAGES)) {
  test(`${page} is what the code says; \`make docs\` writes it`, async () => {
    const { text, renewed } = await renew(page);
    assert.ok(text === renewed, `${page} is not of this version: make docs`);
  });
}

test('every metric that k6 code makes is in docs/metrics.md, with a comment', () => {
  const known = clientMetrics();
  for (const file of projectFiles().filter((name) => /^(lib|scenarios|workloads)\/.*\.js$/.test(name))) {
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /new (?:Counter|Gauge|Rate|Trend)\('(\w+)'/g,
    ))
      assert.ok(known.find((metric) => metric.name === name)?.about, `${name} of ${file}`);
  }
});

/** Variables that a script hands to another, or that a shell or a desktop has. */
const INTERNAL = new Set(
  `BASH_SOURCE BASH_REMATCH BASH_VERSINFO SECONDS RANDOM PWD HOME PATH TMPDIR DISPLAY WAYLAND_DISPLAY XDG_CACHE_HOME DIE_CODE
  TESTID RUN_LOG K6_USERS K6_FOUND K6_SUMMARY K6_RAW K6_PROGRESS K6_ADDRESS K6_READY_S K6_LISTEN_HOST K6_SCRAPE_HOST K6_VERSION WATCHED_SERVER TARGET_KNOBS
  TEST_COUNTS PROMETHEUS_TARGETS_DIR BASE_NAME HEAD_NAME
  GRAFANA_URL CLAIMS_DIR CHECK_ONLY REFERENCE_KNOBS WORKLOADS_DIR PROJECT COMPOSE_PROJECT_NAME`.split(/\s+/),
);

test('every variable that a script has a default for is in docs/configuration.md', () => {
  const page = readFileSync('docs/configuration.md', 'utf8');
  let found = 0;
  for (const file of projectFiles().filter((name) => /^scripts\/(commands\/)?[\w-]+(\.sh)?$/.test(name))) {
    const text = readFileSync(file, 'utf8');
    for (const [, name = ''] of text.matchAll(/\$\{([A-Z][A-Z0-9_]*):?-/g)) {
      // An array or a variable of the script's own.
      if (INTERNAL.has(name) || new RegExp(`^\\s*(?:local )?${name}=`, 'm').test(text)) continue;
      found += 1;
      assert.ok(
        page.includes(`\`${name}\``),
        `${file} reads ${name}, which docs/configuration.md does not have`,
      );
    }
  }
  assert.ok(found > 10, `${found}`);
});

test('scripts/variables.txt is read whole', () => {
  const lines = readFileSync('scripts/variables.txt', 'utf8').match(/^ {2}[A-Z]/gm) ?? [];
  assert.equal(scriptVariables().flat().length, lines.length);
});

test('the workload that docs/workloads.md shows is one', () => {
  const [shown] = readPage('docs/workloads.md').blocks.filter(({ language }) => language === 'json');
  assert.ok(checkDocument(JSON.parse(shown?.text ?? '')).operations.say);
});
