#!/usr/bin/env node
/**
 * Which signals have data now, of what, and what would give the others: `make signals`.
 *
 *   node scripts/signals.js --prometheus URL [--server LABEL] [--wait SECONDS] [--format json]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { Prometheus, PrometheusError } from '../analysis/prometheus.js';
import { BORDERLESS } from '../analysis/render/layout.js';
import { parseName, preferred } from '../analysis/signals.js';
import { inUnit } from '../analysis/units.js';
import { readRules } from './signal-rules.ts';

/**
 * @typedef {object} SignalState
 * @property {string} signal
 * @property {number | null} value null: no data
 * @property {string} shown
 * @property {import('./signal-rules.ts').RecordingRule[]} from the rule that gives it; of one without data, all that could
 * @property {string[]} also sources that give it, too, and stand behind
 */

/**
 * @param {import('./signal-rules.ts').RecordingRule[]} rules
 * @param {{labels: Record<string, string>, value: number}[]} samples of all signals now
 * @param {string} server whose are wanted
 * @returns {SignalState[]} those with data first, each part by name
 */
export function signalStates(rules, samples, server) {
  const ours = samples.filter(({ labels }) => (labels.server ?? server) === server);
  const chosen = preferred(ours);
  const names = [...new Set(rules.map(({ name }) => name))].filter((name) => parseName(name)).sort();
  const states = names.map((name) => {
    const { signal, unit } = parseName(name) ?? { signal: name, unit: '' };
    const sample = chosen.find(({ labels }) => labels.__name__ === name);
    const could = rules.filter((rule) => rule.name === name);
    const source = sample?.labels.source ?? '';
    const also = ours
      .filter(({ labels }) => labels.__name__ === name)
      .map(({ labels }) => labels.source ?? '');
    return {
      signal,
      value: sample?.value ?? null,
      shown: sample ? inUnit(unit, sample.value) : '',
      from: sample
        ? could.filter((rule) => rule.source === source && rule.server === (rule.server && server))
        : could,
      also: [...new Set(also)].filter((one) => one !== source).sort(),
    };
  });
  return [...states.filter(({ value }) => value !== null), ...states.filter(({ value }) => value === null)];
}

/**
 * @param {import('./signal-rules.ts').RecordingRule} rule
 * @param {string[]} names of metrics that there are: instead of a pattern those that it found
 */
function origin({ source, server, file, metrics }, names = []) {
  const found = metrics.flatMap((metric) => {
    const matching = names.filter((name) => new RegExp(`^(?:${metric})$`).test(name));
    return matching.length > 0 ? matching : [metric];
  });
  return `${[source || server, `(${file})`].filter(Boolean).join(' ')}: ${[...new Set(found)].join(', ')}`;
}

/** @param {SignalState[]} states @param {string} server @param {string[]} names of the server's metrics */
function print(states, server, names) {
  const bare = { head: [], border: [], 'padding-left': 2, 'padding-right': 0 };
  const there = new Table({ chars: BORDERLESS, style: bare });
  const missing = new Table({ chars: BORDERLESS, style: bare });
  for (const { signal, value, shown, from, also } of states) {
    if (value === null) from.forEach((rule, n) => void missing.push([n === 0 ? signal : '', origin(rule)]));
    else
      there.push([
        signal,
        { content: shown, hAlign: 'right' },
        from.map((rule) => origin(rule, names)).join('; ') +
          (also.length > 0 ? `; also ${also.join(', ')}` : ''),
      ]);
  }
  const whose = server
    ? `${server}, and of the machine`
    : 'the machine; no server is watched (TARGET_METRICS)';
  // A table fills its last column with blanks.
  const text = (/** @type {Table.Table} */ table) => table.toString().replace(/ +$/gm, '');
  process.stdout.write(`Signals of ${whose}\n${text(there)}\n`);
  if (missing.length > 0)
    process.stdout.write(`\nWithout data, and what would give them\n${text(missing)}\n`);
}

/** @param {Prometheus} prometheus */
const samplesNow = (prometheus) => prometheus.query('{__name__=~"signal:.+:.+"}', Date.now() / 1000);

/** @param {Prometheus} prometheus @param {string} server @returns {Promise<string[]>} */
async function metricNames(prometheus, server) {
  const query = `group by (__name__) ({job="custom", server="${server}"})`;
  const samples = server ? await prometheus.query(query, Date.now() / 1000) : [];
  return samples.map(({ labels: { __name__: name = '' } }) => name).sort();
}

async function main() {
  const { values } = parseArgs({
    options: {
      prometheus: { type: 'string' },
      server: { type: 'string', default: '' },
      wait: { type: 'string', default: '0' },
      format: { type: 'string', default: 'text' },
    },
  });
  const prometheus = new Prometheus(values.prometheus ?? '');
  // A scrape that has just begun: two of it, and then the rules, make a rate.
  await sleep(Number(values.wait) * 1000);
  const states = signalStates(readRules(), await samplesNow(prometheus), values.server);
  if (values.format === 'json') process.stdout.write(`${JSON.stringify(states, null, 2)}\n`);
  else print(states, values.server, await metricNames(prometheus, values.server));
}

if (process.argv[1]?.endsWith('signals.js')) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof PrometheusError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
