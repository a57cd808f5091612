/** Renders resources.ts as the table of docs/limits.md (`make docs`). */
import { inUnit, number, percent } from '../../contract/units.js';
import { BOTTLENECK } from '../limits.ts';
import { DERIVED } from './derived.ts';
import { type Cause, FULL_HOST, RESOURCES, type Reading } from './resources.ts';

/** Signals whose thresholds are durations. Other thresholds are ratios (SHARES) or plain numbers. */
const UNITS = /^(eventloop_lag|pool_wait|db_query_duration|cache_time|upstream|outside)$/;
const SHARES =
  /(_cpu|_thread|accept_queue|open_files|_waiting|_wait|_allowed|_utilization|_connections|_steal|_memory|_throttled|_hit|_per_request)$|^(cpu|gc|heap)$/;

function figure(series: string, value: number) {
  if (UNITS.test(series)) return inUnit('seconds', value);
  const unit = DERIVED[series]?.unit;
  return unit === 'ratio' || (SHARES.test(series) && unit !== 'count') ? percent(value) : number(value);
}

export function readingText({ series, least, times, more, fallen, share, usual, not }: Reading): string {
  const limits = [
    ...(least === undefined ? [] : [`>= ${figure(series, least)}`]),
    ...(times === undefined ? [] : [`>= ${number(times)} x baseline`]),
    ...(more === undefined ? [] : [`>= baseline + ${figure(series, more)}`]),
    ...(usual ? ['>= the 90th percentile of the baseline'] : []),
    ...(fallen === undefined ? [] : [`<= baseline - ${figure(series, fallen)}`]),
    ...(share === undefined ? [] : [`<= ${percent(share)} of the baseline, or no samples`]),
  ];
  return `${not ? 'not ' : ''}\`${series}\` ${limits.join(' and ')}`;
}

function conditionOf({ any = [], all = [], unless = [], topConsumer, tool }: Cause) {
  const some = any.map(readingText).join(', or ');
  const each = all.map(readingText).join(', and ');
  const took =
    topConsumer &&
    `${readingText(FULL_HOST)}, and \`${topConsumer}\` is the machine's top consumer (>= ${percent(BOTTLENECK.minConsumed)})`;
  const not = unless.map((reading) => `; unless ${readingText(reading)}`).join('');
  const holder = tool ? 'one operation accounts for the thread, and ' : '';
  return (
    holder +
    [took, each && some ? `${each}, and (${some})` : each || some].filter(Boolean).join('; or ') +
    not
  );
}

export function rulesTable(): string {
  const rows = RESOURCES.flatMap(({ subject, causes, needs }) =>
    causes.map(({ id, explains = [], leadsTo = [], slows = [], isRootCause, ...cause }, index) => {
      const symptoms = [
        ...explains.map(subjectOf),
        ...leadsTo.map((one) => `${subjectOf(one)} if later`),
        ...slows
          .filter((one) => !explains.includes(one) && subjectOf(one) !== subject)
          .map((one) => `${subjectOf(one)}*`),
      ];
      return [
        index === 0 ? `**${subject}**` : '',
        `${id}${isRootCause ? ' (itself)' : ''}`,
        conditionOf({ id, ...cause }),
        symptoms.join(', '),
        index === 0 ? needs.map((name) => `\`${name}\``).join(', ') : '',
      ];
    }),
  );
  const head = ['resource', 'cause', 'condition in the phase that broke', 'explains', 'needs'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const subjectOf = (id: string) => RESOURCES.find((one) => one.id === id)?.subject ?? id;
