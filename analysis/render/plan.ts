import { styleText } from 'node:util';
import { isProgram } from '../../contract/command-line.js';
import { bytes, counted, duration, number, percent, perSecond } from '../../contract/units.js';
import type { Listing, Plan } from '../collect/plan.ts';
import { thresholdName } from '../judge/threshold-words.ts';
import { cut, grid, WIDTH, wrap } from './layout.ts';

const MAX_OPERATION = 32;
const MAX_EXAMPLE = 200;
const MAX_OPERATIONS = 60;
const MAX_NAMES = 8;
const MAX_REASONS = 12;
const MAX_OBJECTIVES = 8;
/** An estimate; the actual number depends on the model's tokenizer. */
const BYTES_OF_TOKEN = 4;

/**
 * @param plan cleaned plan
 * @param options brief: only called operations, omitted operations, and the load; trials: the plan is that
 *   of one of several k6 runs
 * @returns lines of up to 100 columns, not counting colours and lines for a workload file
 */
export function renderPlan(
  plan: Plan,
  { colours, brief, trials = false }: { colours: boolean; brief: boolean; trials?: boolean },
): string {
  const title = (text: string) => (colours ? styleText('bold', text, { validateStream: false }) : text);
  /** @returns the lines, with the first one as a title */
  const titled = ([first = '', ...rest]: string[]): string[] => [title(first), ...rest];
  const json = toAdd(plan);
  const blocks = [
    brief ? [] : titled(header(plan)),
    titled(operations(plan)),
    leftOut(plan),
    json,
    protocolOnly(plan),
    brief ? [] : titled(phases(plan)),
    [...total(plan), ...where(plan, trials)],
    brief ? [] : objectives(plan),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => (colours || lines === json ? line : cut(line, WIDTH))).join('\n'))
    .join('\n\n')}\n`;
}

function header({ test, title, profile, target, workload }: Plan) {
  const { url, era, protocol_version: version, server } = target;
  const who = [server?.name, server?.version].filter(Boolean).join(' ');
  return [
    `${test}, profile ${profile}: ${title ?? ''}`,
    ['target', url, who, era, version].filter(Boolean).join('  '),
    `workload  ${workload}`,
    ...(target.listing ? [listing(target.listing)] : []),
  ].map((line) => cut(line, WIDTH));
}

/** @param listing cost of listing everything, for a client and for a model that receives the tools */
function listing({ calls, bytes: all, tools_bytes: ofTools, ttl_ms: ttl }: Listing) {
  const tokens = number(Number((ofTools / BYTES_OF_TOKEN).toPrecision(2)));
  const ttlText = ttl > 0 ? `; cacheable for ${duration(Math.round(ttl / 1000))}` : '';
  return `listing   ${counted(calls, 'call')}, ${bytes(all)}; the tools are about ${tokens} tokens (${BYTES_OF_TOKEN} bytes each)${ttlText}`;
}

function operations({ operations: all, phases }: Plan) {
  const measured = phases.filter(({ measured }) => measured);
  // Shares refer to a mix. If each phase has its own operation, there are none.
  const mixed = measured.some(({ operation }) => operation === undefined);
  const rows = all
    .slice(0, MAX_OPERATIONS)
    .map(({ operation, class: kind, share, example }) => [
      cut(operation, MAX_OPERATION),
      kind,
      mixed ? percent(share) : plannedCalls(measured.filter((phase) => phase.operation === operation)),
      example == null ? '' : JSON.stringify(example),
    ]);
  const rest = all.length - MAX_OPERATIONS;
  return [
    ...grid(
      [['OPERATION', 'class', mixed ? 'share' : 'calls', 'example arguments'], ...rows],
      MAX_EXAMPLE,
    ).map((line) => cut(line, WIDTH)),
    ...(rest > 0 ? [`… ${rest} more`] : []),
  ];
}

/**
 * @param phases phases of one operation
 * @returns - if none is measured, or in a closed model without pauses
 */
function plannedCalls(phases: Plan['phases']): string {
  const sum = phases.reduce((total, phase) => total + (callsOf(phase) ?? Number.NaN), 0);
  return sum > 0 ? number(sum) : '-';
}

/** @returns each reason once, with all its operations */
function leftOut({ left_out: all = [] }: Plan): string[] {
  const byReason: Map<string, string[]> = new Map();
  for (const { operation, reason } of all) byReason.set(reason, [...(byReason.get(reason) ?? []), operation]);
  const lines = [...byReason].slice(0, MAX_REASONS).flatMap(([reason, names]) => {
    const rest = names.length - MAX_NAMES;
    const namesText = names.slice(0, MAX_NAMES).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
    return wrap(`${namesText}: ${reason}`, '- ');
  });
  const rest = byReason.size - MAX_REASONS;
  if (rest > 0) lines.push(`- … left out for ${counted(rest, 'other reason')}`);
  return lines.length > 0 ? ['LEFT OUT', ...lines] : [];
}

/** @returns lines of JSON */
function toAdd({ left_out: all = [] }: Plan): string[] {
  const lines = all.flatMap(({ add }) => add ?? []).slice(0, MAX_REASONS);
  if (lines.length === 0) return [];
  return [
    'To call them, edit these lines and add them to a workload file (make workload-init) and its mix:',
    ...lines,
  ];
}

function protocolOnly({ operations: all, left_out: others = [] }: Plan) {
  if (all.some(({ class: kind }) => kind !== 'protocol') || others.length === 0) return [];
  return wrap(
    'No callable operation is marked as read-only, so the load consists of lists and pings only. ' +
      'ALLOW_WRITES=1 also calls tools that are not marked as destructive; TOOLS=name,name calls only these tools.',
    '',
  );
}

function phases({ phases: all, sequence = false }: Plan) {
  const rows = all.map((phase) => {
    const { name, duration_s, offered_rps, vus, max_vus, iterations, streams } = phase;
    const calls = callsOf(phase);
    const load =
      offered_rps == null
        ? counted(vus ?? 0, 'VU')
        : `${perSecond(offered_rps)} from up to ${counted(max_vus ?? 0, 'VU')}`;
    return [
      name,
      `${sequence ? '~ ' : iterations == null ? '' : 'at most '}${duration(duration_s)}`,
      streams === undefined ? load : `${load}, ${counted(streams, 'stream')}`,
      calls === null ? `as fast as ${counted(vus ?? 0, 'VU')} can` : number(calls),
    ];
  });
  return grid([['PHASE', 'length', 'load', 'requests'], ...rows], WIDTH);
}

/** @returns null in a closed model, which has no fixed number */
function callsOf({ offered_rps: rate, duration_s, iterations }: Plan['phases'][number]): number | null {
  return rate != null ? Math.round(rate * duration_s) : (iterations ?? null);
}

function total({ phases: all, expected_requests: requests, sequence }: Plan) {
  const longest = all.reduce((sum, phase) => sum + phase.duration_s, 0);
  const bounded = all.some(({ iterations }) => iterations != null);
  const howMany =
    requests == null
      ? 'as many requests as the VUs can make'
      : `${counted(requests, 'request')} (without the warm-up)`;
  if (sequence) {
    return wrap(
      `In total ${howMany} one after the other: about ${duration(Math.round(longest))} for the reference target.`,
      '',
    );
  }
  return wrap(`In total ${howMany} in ${bounded ? 'at most ' : ''}${duration(longest)}.`, '');
}

function placeOf(url: string): string {
  if (isProgram(url)) return 'processes on this machine';
  return URL.canParse(url) ? new URL(url).host : url;
}

function where({ target, phases: all }: Plan, trials: boolean) {
  const { url, confirm } = target;
  const rate = Math.max(...all.map(({ offered_rps }) => offered_rps ?? 0));
  const users = Math.max(...all.map(({ vus, max_vus }) => vus ?? max_vus ?? 0));
  const streams = Math.max(...all.map(({ streams }) => streams ?? 0));
  const peak = [...(rate > 0 ? [perSecond(rate)] : []), counted(users, 'VU')].join(' from ');
  const held = streams > 0 ? `, with up to ${counted(streams, 'stream')} open` : '';
  return [
    ...wrap(`All requests go to ${placeOf(url)}, at most ${peak} at a time${held}.`, ''),
    ...(trials ? wrap('The test consists of several runs like this one and sets the load of each.', '') : []),
    ...(confirm ? wrap(`The target is not on this machine: a run needs TARGET_CONFIRM=${confirm}.`, '') : []),
  ];
}

function objectives({ objectives: all, objectives_off: off, documents }: Plan) {
  if (off) return ['THRESHOLDS=off: measured and not judged'];
  const names = all.map((objective) => {
    const { relative_to, expected_samples: samples, instead_of } = objective;
    const name = thresholdName({
      ...objective,
      expression: '',
      relative_to: relative_to?.phase ?? null,
      k6: null,
    });
    const tooFew = instead_of ? `, too few for ${instead_of.split('_', 1)}` : '';
    return samples === undefined ? name : `${name} (${counted(samples, 'sample')}${tooFew})`;
  });
  const rest = names.length - MAX_OBJECTIVES;
  return [
    documents === false
      ? 'OBJECTIVES for any server; THRESHOLDS=each.p99_ms=200 adds a latency objective'
      : 'OBJECTIVES',
    ...names.slice(0, MAX_OBJECTIVES).flatMap((name) => wrap(name, '- ')),
    ...(rest > 0 ? [`- … ${rest} more`] : []),
  ];
}
