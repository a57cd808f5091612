/** `make network`: sizes of requests and answers, bandwidth by kind of load, and what connections cost. */

import { gaugeOf, inScope, total, trendOf } from '../../analysis/collect/groups.ts';
import type { Phase } from '../../analysis/judge/phases.ts';
import type { Built, Facts, ReportTable } from '../../analysis/tables/report-tables.ts';
import { milliseconds, number, percent } from '../../contract/units.js';
import type { NetworkResult, Size } from './trials.ts';

/** What bandwidth is compared with, as in the document. */
const LINK_BITS_PER_S = 1e9;

type Columns = ReportTable['columns'];

export default function network({ trials, phases, groups }: Facts<NetworkResult>): Built {
  const measured = phases.filter((phase) => phase.measured && phase.requests);
  const of = (part: string) => measured.filter(({ labels }) => labels.part === part);
  const traffic = of('traffic').length > 0 ? of('traffic') : of('plain');
  return {
    tables: [
      sizesTable(trials?.result?.sizes ?? []),
      bandwidthTable(traffic, groups),
      connectionsTable(traffic, of('connections'), groups),
    ],
  };
}

function sizesTable(sizes: Size[]) {
  const rows = sizes.map(({ operation, request, plain, gzip }) => [
    operation,
    request,
    plain,
    gzip,
    gzip !== null && plain ? 1 - gzip / plain : null,
  ]);
  const columns = [
    { name: 'operation', unit: 'text' },
    { name: 'request', unit: 'bytes' },
    { name: 'answer', unit: 'bytes' },
    { name: 'with gzip', unit: 'bytes' },
    { name: 'saved', unit: 'ratio' },
  ] as Columns;
  const notes = [
    'Bodies without HTTP headers, means; no figure with gzip: the server did not compress it (the reference target: below 1 KB).',
  ];
  return { title: 'Request and response sizes', columns, rows, notes };
}

function bandwidthTable(traffic: Phase[], groups: Facts['groups']) {
  const rows = traffic.map((phase) => {
    const own = inScope(groups, { phase: phase.name });
    const [out, back] = [
      total(own, 'bytesSent') / phase.duration_s,
      total(own, 'bytesReceived') / phase.duration_s,
    ];
    const bits = 8 * (out + back);
    return [
      phase.name.replace(/^traffic-/, ''),
      phase.achieved_rps,
      out,
      back,
      `${number(bits / 1e6)} Mbit/s`,
      bits / LINK_BITS_PER_S,
    ];
  });
  const columns = [
    { name: 'traffic', unit: 'text' },
    { name: 'calls', unit: 'per_s' },
    { name: 'sent', unit: 'bytes_per_s' },
    { name: 'received', unit: 'bytes_per_s' },
    { name: 'bandwidth', unit: 'text' },
    { name: 'of 1 Gbit/s', unit: 'ratio' },
  ] as Columns;
  const notes = ["On the wire between generator and server, HTTP headers included, TCP's own not."];
  return { title: 'Bandwidth', columns, rows, notes };
}

/** @param opened in which each call opened a connection */
function connectionsTable(traffic: Phase[], opened: Phase[], groups: Facts['groups']) {
  const of = (among: Phase[]) => groups.filter(({ phase }) => among.some(({ name }) => name === phase));
  const sum = (among: Phase[], figure: (phase: Phase) => number) =>
    among.reduce((all, phase) => all + figure(phase), 0);
  const requests = sum(traffic, (phase) => phase.requests ?? 0);
  const connections = total(of(traffic), 'connections');
  const everything = [...traffic, ...opened];
  const failed = sum(everything, (phase) => phase.failures?.connect ?? 0);
  const tried = total(of(everything), 'connections') + failed;
  const [one] = opened;
  const timed = (metric: string) => trendOf(one ? of([one]) : [], metric);
  const [connect, tls] = [timed('mcp_request_connecting'), timed('mcp_request_tls')];
  const [, keepAlive] = gaugeOf(of(everything), 'mcp_keep_alive_seconds') ?? [0, 0];
  const rows = [
    [
      'connection set-up (TCP)',
      connect.latency && milliseconds(connect.latency.p50),
      connect.latency
        ? `median of ${number(connect.count)}; p95 ${milliseconds(connect.latency.p95)}, p99 ${milliseconds(connect.latency.p99)}`
        : 'no connection was opened',
    ],
    [
      'TLS handshake',
      tls.latency && milliseconds(tls.latency.p50),
      tls.latency
        ? `median of ${number(tls.count)}; p95 ${milliseconds(tls.latency.p95)}`
        : 'the target is not https',
    ],
    [
      'keep-alive timeout',
      keepAlive > 0 ? `${number(keepAlive)} s` : null,
      keepAlive > 0 ? 'as the server says in its answers' : 'the server does not say',
    ],
    [
      'connections opened',
      number(connections),
      `for ${number(requests)} requests of ${traffic.map(({ name }) => name.replace(/^traffic-/, '')).join(', ')}`,
    ],
    [
      'reuse',
      requests > 0 ? percent(1 - connections / requests) : null,
      'requests that opened none: also on those of the warm-up',
    ],
    [
      'failed connections',
      tried > 0 ? percent(failed / tried) : null,
      `${number(failed)} of ${number(tried)} that were tried`,
    ],
  ];
  const columns = [
    { name: 'connections', unit: 'text' },
    { name: 'value', unit: 'text' },
    { name: 'what it is', unit: 'text' },
  ] as Columns;
  return { title: 'Connection behaviour', columns, rows, notes: [] };
}
