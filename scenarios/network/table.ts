/** `make network`: sizes of requests and answers, bandwidth by kind of load, and the cost of connections. */

import { gaugeOf, inScope, total, trendOf } from '../../analysis/collect/groups.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import { type Built, type Column, type Facts, tableOf } from '../../analysis/tables/report-tables.ts';
import { milliseconds, number, percent } from '../../contract/units.js';
import type { NetworkResult, Size } from './trials.ts';

/** The reference for bandwidth, as in the document. */
const LINK_BITS_PER_S = 1e9;

export default function network({ trials, phases, groups }: Facts<NetworkResult>): Built {
  const measured = phases.filter((phase) => phase.measured && phase.requests);
  const of = (part: string) => measured.filter(({ labels }) => labels.part === part);
  const traffic = of('traffic').length > 0 ? of('traffic') : of('plain');
  return {
    tables: [
      tableOf('Request and response sizes', trials?.result?.sizes ?? [], SIZES, [
        'Mean size of bodies without HTTP headers. No figure with gzip means that the server did not compress the body (the reference target: below 1 KB).',
      ]),
      bandwidthTable(traffic, groups),
      connectionsTable(traffic, of('connections'), groups),
    ],
  };
}

const savedBy = ({ plain, gzip }: Size) => (gzip !== null && plain ? 1 - gzip / plain : null);

const SIZES: Column<Size>[] = [
  { name: 'operation', unit: 'text', of: ({ operation }) => operation },
  { name: 'request', unit: 'bytes', of: ({ request }) => request },
  { name: 'answer', unit: 'bytes', of: ({ plain }) => plain },
  { name: 'with gzip', unit: 'bytes', of: ({ gzip }) => gzip },
  { name: 'saved', unit: 'ratio', of: savedBy },
];

const kindOf = ({ name }: Phase) => name.replace(/^traffic-/, '');

function bandwidthTable(traffic: Phase[], groups: Facts['groups']) {
  const perSecond = ({ name, duration_s }: Phase, ...counts: ('bytesSent' | 'bytesReceived')[]) =>
    counts.reduce((sum, count) => sum + total(inScope(groups, { phase: name }), count) / duration_s, 0);
  const bits = (phase: Phase) => 8 * perSecond(phase, 'bytesSent', 'bytesReceived');
  const columns: Column<Phase>[] = [
    { name: 'traffic', unit: 'text', of: kindOf },
    { name: 'calls', unit: 'per_s', of: ({ achieved_rps: rate }) => rate },
    { name: 'sent', unit: 'bytes_per_s', of: (phase) => perSecond(phase, 'bytesSent') },
    { name: 'received', unit: 'bytes_per_s', of: (phase) => perSecond(phase, 'bytesReceived') },
    { name: 'bandwidth', unit: 'text', of: (phase) => `${number(bits(phase) / 1e6)} Mbit/s` },
    { name: 'of 1 Gbit/s', unit: 'ratio', of: (phase) => bits(phase) / LINK_BITS_PER_S },
  ];
  const notes = ['On the wire between generator and server, with HTTP headers, without TCP headers.'];
  return tableOf('Bandwidth', traffic, columns, notes);
}

/** @param opened phases in which each call opened a connection */
function connectionsTable(traffic: Phase[], opened: Phase[], groups: Facts['groups']) {
  const of = (among: Phase[]) => groups.filter(({ phase }) => among.some(({ name }) => name === phase));
  const sum = (among: Phase[], figure: (phase: Phase) => number) =>
    among.reduce((all, phase) => all + figure(phase), 0);
  const requests = sum(traffic, (phase) => phase.requests ?? 0);
  const connections = total(of(traffic), 'connections');
  const everything = [...traffic, ...opened];
  const failed = sum(everything, (phase) => phase.failures?.connect ?? 0);
  const tried = total(of(everything), 'connections') + failed;
  const timed = (metric: string, missing: string, ...percentiles: ('p95' | 'p99')[]) => {
    const { count, latency } = trendOf(of(opened.slice(0, 1)), metric);
    if (!latency) return [null, missing] as const;
    const rest = percentiles.map((percentile) => `${percentile} ${milliseconds(latency[percentile])}`);
    return [milliseconds(latency.p50), `median of ${number(count)}; ${rest.join(', ')}`] as const;
  };
  const [, keepAlive] = gaugeOf(of(everything), 'mcp_keep_alive_seconds') ?? [0, 0];
  const reused = requests > 0 ? percent(1 - connections / requests) : null;
  const share = tried > 0 ? percent(failed / tried) : null;
  const kinds = traffic.map(kindOf).join(', ');
  const rows: [what: string, value: string | null, about: string][] = [
    ['connection set-up (TCP)', ...timed('mcp_request_connecting', 'no connection was opened', 'p95', 'p99')],
    ['TLS handshake', ...timed('mcp_request_tls', 'the target is not https', 'p95')],
    keepAlive > 0
      ? ['keep-alive timeout', `${number(keepAlive)} s`, "announced in the server's answers"]
      : ['keep-alive timeout', null, 'not announced by the server'],
    ['connections opened', number(connections), `for ${number(requests)} requests of ${kinds}`],
    ['reuse', reused, 'requests on an open connection, including those from the warm-up'],
    ['failed connections', share, `${number(failed)} of ${number(tried)} attempts`],
  ];
  return tableOf('Connection behaviour', rows, [
    { name: 'connections', unit: 'text', of: ([what]) => what },
    { name: 'value', unit: 'text', of: ([, value]) => value },
    { name: 'description', unit: 'text', of: ([, , about]) => about },
  ]);
}
