/** Shows which signals have data, from which metrics, and which sources would provide the others. */
import { setTimeout as sleep } from 'node:timers/promises';
import Table from 'cli-table3';
import { Prometheus, PrometheusError } from '../../analysis/collect/prometheus.ts';
import { type RecordingRule, readRules } from '../../analysis/collect/signal-rules.ts';
import { parseName, preferred } from '../../analysis/collect/signals.ts';
import { BORDERLESS } from '../../analysis/render/layout.ts';
import { inUnit } from '../../contract/units.js';
import { broken, quotable, usage } from '../ending.ts';
import { logProgress } from '../log-progress.ts';
import { askMetrics, startScraping } from '../run/watch.ts';
import { bringUp, ownRunFolder } from '../stack.ts';
import { Undo } from '../undo.ts';
import { takeWords } from '../variables.ts';

interface SignalState {
  signal: string;
  /** null = no data. */
  value: number | null;
  /** The value with its unit. */
  shown: string;
  /** The rule that provides the signal; without data, all rules that can provide it. */
  from: RecordingRule[];
  /** Other sources of the signal, with lower precedence. */
  also: string[];
}

interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** The signals with data come first. Each part is sorted by name. */
export function signalStates(rules: RecordingRule[], samples: Sample[], server: string): SignalState[] {
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

/** Shows the metrics among names that match a pattern, instead of the pattern. */
function origin({ source, server, file, metrics }: RecordingRule, names: string[] = []) {
  const found = metrics.flatMap((metric) => {
    const matching = names.filter((name) => new RegExp(`^(?:${metric})$`).test(name));
    return matching.length > 0 ? matching : [metric];
  });
  return `${[source || server, `(${file})`].filter(Boolean).join(' ')}: ${[...new Set(found)].join(', ')}`;
}

function asText(states: SignalState[], server: string, metrics: string[]): string {
  const bare = { head: [], border: [], 'padding-left': 2, 'padding-right': 0 };
  const there = new Table({ chars: BORDERLESS, style: bare });
  const missing = new Table({ chars: BORDERLESS, style: bare });
  for (const { signal, value, shown, from, also } of states) {
    if (value === null) from.forEach((rule, n) => void missing.push([n === 0 ? signal : '', origin(rule)]));
    else
      there.push([
        signal,
        { content: shown, hAlign: 'right' },
        from.map((rule) => origin(rule, metrics)).join('; ') +
          (also.length > 0 ? `; also ${also.join(', ')}` : ''),
      ]);
  }
  const whose = server ? `${server} and the machine` : 'the machine; no server is monitored (TARGET_METRICS)';
  // The table pads its last column with blanks.
  const text = (table: Table.Table) => table.toString().replace(/ +$/gm, '');
  const without = missing.length > 0 ? `\nWithout data, and how to get it\n${text(missing)}\n` : '';
  return `Signals of ${whose}\n${text(there)}\n${without}`;
}

const samplesNow = (prometheus: Prometheus) =>
  prometheus.query('{__name__=~"signal:.+:.+"}', Date.now() / 1000);

async function metricNames(prometheus: Prometheus, server: string): Promise<string[]> {
  const query = `group by (__name__) ({job="custom", server="${server}"})`;
  const samples = server ? await prometheus.query(query, Date.now() / 1000) : [];
  return samples.map(({ labels: { __name__: name = '' } }) => name).sort();
}

/** @param format text or json */
export async function describeSignals(
  prometheus: Prometheus,
  server: string,
  format: string,
): Promise<string> {
  const states = signalStates(readRules(), await samplesNow(prometheus), server);
  if (format === 'json') return `${JSON.stringify(states, null, 2)}\n`;
  return asText(states, server, await metricNames(prometheus, server));
}

/** Waiting time after scraping begins: a rate takes two scrapes and one evaluation of the rules. */
const WAIT_S = 12;

/**
 * Shows the signals of the stack's target, or of the server at TARGET_METRICS, which is scraped for this
 * command.
 */
export async function signals(words: readonly string[]): Promise<number> {
  takeWords('signals', words);
  const format = process.env.FORMAT || 'text';
  if (!['text', 'json'].includes(format)) throw usage(`FORMAT is "${quotable(format)}"; valid: text, json`);
  await ownRunFolder();
  const metrics = await askMetrics();
  await bringUp('observe');
  const undo = new Undo();
  undo.add(startScraping(metrics, `signals-${process.pid}`));
  const { WATCHED_SERVER: server = '', PROMETHEUS_URL = '' } = process.env;
  try {
    if (metrics.length > 0) {
      logProgress(`scraping ${server} for ${WAIT_S} s ...`);
      await sleep(WAIT_S * 1000);
    }
    process.stdout.write(await describeSignals(new Prometheus(PROMETHEUS_URL), server, format));
    return 0;
  } catch (error) {
    throw error instanceof PrometheusError ? broken(error.message) : error;
  } finally {
    await undo.all();
  }
}
