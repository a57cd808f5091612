/** The configuration of Prometheus, the signal rules and the alerts, checked and unit-tested by Prometheus' own promtool. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { stringify } from 'yaml';
import { TRUST } from '../../analysis/limits.ts';
import { SIGNALS } from '../../contract/signals.js';
import { dashboards } from '../../dashboards/build.ts';
import { builtIn, substitute } from '../grafana.js';
import { command } from '../lab.js';
import { provideConfig } from '../prometheus-config.js';
import { toolPath } from '../tool.js';
import { queriesOf } from './panel-queries.js';

const PROVISIONING = 'provisioning/prometheus';
const UNITS = ['ratio', 'bytes', 'count', 'seconds', 'rate', 'bytes_rate'];

const PACKAGED = '/usr/bin/promtool';
/** Of the pinned Prometheus, and of the package: Debian 12's Prometheus 2.42 is the oldest that the files work with. */
const PROMTOOLS = [
  { of: 'the pinned Prometheus', promtool: toolPath('promtool'), skip: false },
  {
    of: "the package's Prometheus",
    promtool: PACKAGED,
    skip: !existsSync(PACKAGED) && `no ${PACKAGED}: on Debian it is part of the package prometheus`,
  },
];
const folder = mkdtempSync(join(tmpdir(), 'rules-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** @param {string} promtool @param {string[]} args */
async function succeeds(promtool, args) {
  const { code, output } = await command(promtool, args);
  assert.equal(code, 0, output);
  return output;
}

/** @param {string} path */
const inFolder = (path) => readdirSync(path).map((name) => join(path, name));
const read = (/** @type {string[]} */ files) => files.map((file) => readFileSync(file, 'utf8')).join('\n');

/** promtool 2.42 can't write native histograms into a test's series. @param {string} promtool */
const unitTests = (promtool) =>
  inFolder(join(PROVISIONING, 'tests')).filter(
    (file) => promtool !== PACKAGED || !readFileSync(file, 'utf8').includes('{{schema:'),
  );

/** The layout of Prometheus' folder in a container. */
for (const name of ['rules', 'targets']) {
  const source = name === 'targets' ? 'targets-docker' : name;
  symlinkSync(join(process.cwd(), PROVISIONING, source), join(folder, name));
}
for (const who of ['prometheus', 'exporters']) writeFileSync(join(folder, `${who}.password`), 'secret');

for (const { of, promtool, skip } of PROMTOOLS) {
  test(`${of}: the configuration is valid, with the rules and the Docker targets`, { skip }, async () => {
    const config = join(folder, 'prometheus.yml');
    provideConfig('promtool', promtool, config);
    const output = await succeeds(promtool, ['check', 'config', config]);
    for (const rules of readdirSync(join(PROVISIONING, 'rules'))) assert.match(output, new RegExp(rules));
  });

  test(`${of}: the rules are valid, and the linter finds nothing`, { skip }, async () => {
    const rules = inFolder(join(PROVISIONING, 'rules'));
    await succeeds(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', ...rules]);
  });

  test(`${of}: the rules do what their unit tests say`, { skip }, async () => {
    await succeeds(promtool, ['test', 'rules', ...unitTests(promtool)]);
  });

  test(`${of}: every query of the dashboards is valid`, { skip }, async () => {
    const values = {
      ...builtIn({ fromS: 1_700_000_000, toS: 1_700_000_900 }, 2),
      ...Object.fromEntries(
        ['testid', 'server', 'base', 'operation', 'baseline'].map((name) => [name, name]),
      ),
      shift: '3600',
    };
    const queries = dashboards.flatMap((build) => queriesOf(build()));
    const rules = queries.map(({ expr }, i) => ({ record: `query:${i}`, expr: substitute(expr, values) }));
    const file = join(folder, 'queries.yml');
    writeFileSync(file, stringify({ groups: [{ name: 'queries', rules }] }));
    await succeeds(promtool, ['check', 'rules', '--lint=none', file]);
  });
}

test('every alert, and what it stands on, is unit-tested', () => {
  const tests = read(inFolder(join(PROVISIONING, 'tests')).filter((path) => path.includes('alerts')));
  const rules = readFileSync(join(PROVISIONING, 'rules/alerts.yml'), 'utf8');
  const named = (/** @type {string} */ key) =>
    [...rules.matchAll(new RegExp(`- ${key}: (\\S+)`, 'g'))].map(([, name = '']) => name);
  assert.equal(named('alert').length, 11);
  for (const name of named('alert'))
    assert.ok(tests.includes(`ALERTS{alertname="${name}",alertstate="firing"`), name);
  for (const record of named('record')) assert.ok(tests.includes(`labels: '${record}`), record);
});

test("the generator is called saturated by an alert where the verdict calls it so, and an alert's dashboard exists", () => {
  const rules = readFileSync(join(PROVISIONING, 'rules/alerts.yml'), 'utf8');
  const [, limit] = /avg_over_time\(signal:generator_cpu:ratio\[30s\]\)\s*\) > ([\d.]+)/.exec(rules) ?? [];
  assert.equal(Number(limit), TRUST.maxGeneratorCpu);
  const uids = readdirSync('provisioning/grafana/dashboards').map((file) => file.replace('.json', ''));
  for (const [, uid = ''] of rules.matchAll(/dashboard: \/d\/([\w-]+)/g)) assert.ok(uids.includes(uid), uid);
});

test('every signal is recorded, once for each kind of server, has a unit in its name, and is unit-tested', () => {
  const tests = read(inFolder(join(PROVISIONING, 'tests')));
  const signals = new Set();
  for (const file of inFolder(join(PROVISIONING, 'rules')).filter((path) => path.includes('signals-'))) {
    // Other names are steps on the way to one of these.
    const recorded = [...readFileSync(file, 'utf8').matchAll(/record: (signal:\S+)/g)].map(
      ([, name = '']) => name,
    );
    assert.deepEqual(recorded, [...new Set(recorded)], file);
    for (const name of recorded) {
      signals.add(name);
      assert.match(name, new RegExp(`^signal:[a-z0-9_]+:(${UNITS.join('|')})$`));
      assert.ok(tests.includes(`labels: '${name}`), `no test expects a sample of ${name}`);
    }
  }
  assert.deepEqual(
    [...signals].sort(),
    Object.keys(SIGNALS)
      .map((name) => `signal:${name}`)
      .sort(),
  );
});
