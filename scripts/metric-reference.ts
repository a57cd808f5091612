/** The tables of docs/metrics.md, generated from the code that defines the metrics. */
import { readFileSync } from 'node:fs';
import { serveClusterMetrics } from '../target/cluster-metrics.js';
import { Metrics } from '../target/metrics.js';
import { code, table } from './markdown-table.ts';
import type { Tables } from './reference.ts';

/** The metrics that scripts define, with comments. */
const SCRIPTS = new URL('../lib/metrics.js', import.meta.url);
/** The metrics of the client. */
const NAMES = new URL('../xk6-mcp/names.json', import.meta.url);
/** The tags of a metric whose comment lists no others. */
const OF_A_REQUEST = ['phase', 'method', 'operation', 'class'];
/** Process metrics that the Prometheus client library adds. */
const OF_A_PROCESS = /^(process|nodejs)_/;

/**
 * The suffixes that k6's remote write adds:
 * https://grafana.com/docs/k6/latest/results-output/real-time/prometheus-remote-write/
 */
const SUFFIX = { Counter: '_total', Gauge: '', Rate: '_rate', Trend: '' };

interface ClientMetric {
  /** The name in k6. */
  name: string;
  kind: string;
  /** The name in Prometheus. */
  series: string;
  tags: string[];
  about: string;
}

interface Named {
  name: string;
  type: string;
  unit?: string;
  tags?: string[];
  help: string;
}

function named({ name, type, unit, tags = [], help }: Named): ClientMetric {
  const kind = `${type.slice(0, 1).toUpperCase()}${type.slice(1)}`;
  return ofKind({
    name,
    kind,
    isTime: unit === 'ms',
    tags: tags.length > 0 ? [...OF_A_REQUEST, ...tags] : OF_A_REQUEST,
    about: help,
  });
}

function ofKind({ isTime, ...metric }: Omit<ClientMetric, 'series'> & { isTime: boolean }): ClientMetric {
  const suffix = isTime ? '_seconds' : SUFFIX[metric.kind as keyof typeof SUFFIX];
  return {
    ...metric,
    kind: isTime ? `${metric.kind} (time)` : metric.kind,
    series: `k6_${metric.name}${suffix}`,
  };
}

function clientNames(): Named[] {
  const { metrics }: { metrics: Record<string, Named> } = JSON.parse(readFileSync(NAMES, 'utf8'));
  return Object.values(metrics);
}

/** @returns the table of xk6-mcp/README.md */
export function moduleTable(): string {
  const rows = clientNames().map(({ name, type, unit, tags = [], help }) => [
    code(name),
    unit ? `${type} (${unit})` : type,
    tags.map(code).join(', '),
    help,
  ]);
  return table(['metric', 'type', 'additional tags', 'description'], rows);
}

function clientMetrics(): ClientMetric[] {
  const known = clientNames().map(named);
  const made = readFileSync(SCRIPTS, 'utf8').matchAll(
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?:export )?const \w+ = new (Counter|Gauge|Rate|Trend)\('(\w+)'(, true)?\);/g,
  );
  const own = [...made].map(([, comment = '', kind = '', name = '', isTime]) => {
    const [about = '', tags] = comment
      .replaceAll(/\n \* ?/g, ' ')
      .trim()
      .split(/ *Tags: /);
    return ofKind({
      name,
      kind,
      isTime: Boolean(isTime),
      tags: tags?.split(', ') ?? OF_A_REQUEST,
      about: about.trim(),
    });
  });
  return [...known, ...own.filter(({ name }) => known.every((other) => other.name !== name))];
}

const clientTable = () =>
  table(
    ['k6', 'type', 'Prometheus', 'tags', 'description'],
    clientMetrics().map(({ name, kind, series, tags, about }) => {
      const those = tags === OF_A_REQUEST ? 'request tags' : tags.join(', ');
      return [code(name), kind, code(series), those, about];
    }),
  );

async function targetTable(): Promise<string> {
  const metrics = new Metrics();
  metrics.watchPool(() => ({ used: 0, idle: 0, waiting: 0, size: 0 }));
  const text = `${await metrics.registry.metrics()}\n${await serveClusterMetrics(() => 1)()}`;
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)\n([^#]*)/gm)]
    .filter(([, name = '']) => !OF_A_PROCESS.test(name))
    .map(([, name = '', about = '', kind = '', samples = '']) => {
      // The type declarations of prom-client lack labelNames.
      const { labelNames = [] } = (metrics.registry.getSingleMetric(name) ?? {}) as { labelNames?: string[] };
      const seen = [...samples.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label);
      const labels = new Set([...labelNames, ...seen.filter((label) => label !== 'le')]);
      return [code(name), kind, [...labels].map(code).join(', '), about];
    });
  return table(
    ['metric', 'type', 'labels', 'description'],
    rows.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
}

export const metricTables = async (): Promise<Tables> => ({
  client: clientTable(),
  target: await targetTable(),
});
