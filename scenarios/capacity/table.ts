/** `make capacity`: the highest rate that held, the cause of the limit, and each step of the search. */

import { signalMean } from '../../analysis/collect/signals.ts';
import { fullText } from '../../analysis/findings/full-server.ts';
import { note } from '../../analysis/findings/note.ts';
import { judged } from '../../analysis/judge/judged.ts';
import { TRUST } from '../../analysis/limits.ts';
import { type Built, type Facts, tableOf } from '../../analysis/tables/report-tables.ts';
import { percent } from '../../contract/units.js';
import { TEXTS } from './capacity-of.ts';
import type { Found } from './search-rate.ts';
import type { CapacityResult, Tried } from './trials.ts';

/**
 * The machine is full at this utilization. Other programs are the cause if target and generator have less
 * than OWN_SHARE of it.
 */
const BUSY_HOST = 0.9;
const OWN_SHARE = 0.3;
/** Share of the CPU in use; below it the generator does not slow down the server. */
const GENERATOR_SHARE = 0.25;

export default function capacity({ trials, phases, signals }: Facts<CapacityResult>): Built {
  const result = trials?.result;
  const { tried = [], found, of = 'rate' } = result ?? {};
  const { text, unit, column, one, max } = TEXTS[of];
  const phaseOf = (trial: string) => phases.find(({ name, measured }) => measured && name === trial);
  const mean = (signal: string, phase: string) => signalMean(signals, signal, phase);
  const steps = tried.map((step) => ({ ...step, phase: phaseOf(step.trial) }));
  const search = tableOf('Capacity: the search', steps, [
    { name: 'step', unit: 'text', of: ({ trial }) => trial },
    { name: column, unit, of: ({ rate }) => rate },
    { name: 'achieved', unit: 'per_s', of: ({ phase }) => phase?.achieved_rps ?? null },
    { name: 'p99', unit: 'ms', of: ({ phase }) => phase?.latency_ms?.p99 ?? null },
    { name: 'failed', unit: 'ratio', of: ({ phase }) => phase?.failure_rate ?? null },
    { name: 'target CPU', unit: 'ratio', of: ({ trial }) => mean('cpu', trial) },
    ...(of === 'processes'
      ? [{ name: 'memory', unit: 'bytes' as const, of: ({ trial }: Tried) => mean('memory', trial) }]
      : []),
    { name: 'host CPU', unit: 'ratio', of: ({ trial }) => mean('host_cpu', trial) },
    { name: 'gen. CPU', unit: 'ratio', of: ({ trial }) => mean('generator_cpu', trial) },
    { name: 'missed', unit: 'text', of: missedText },
  ]);
  if (!result || !found) return { tables: [search] };

  // A broken step is the server's limit only if the generator had CPU left.
  const limiting = tried.findLast(({ holds, rate }) => !holds && rate > (found.rate ?? 0));
  const busy = limiting ? (mean('generator_cpu', limiting.trial) ?? 0) > TRUST.maxGeneratorCpu : false;
  const byGenerator = found.generator || busy;
  const brokenAt = byGenerator ? null : found.broken;
  const hold = tried.findLast(({ kind }) => kind === 'hold');
  const held = hold && phaseOf(hold.trial);
  const noVU = tried.findLast(({ users }) => users);
  const ownLimit = noVU ? 'MAX_VUS' : 'the load generator';
  const limit = byGenerator ? ownLimit : (limiting?.missed.join(', ') ?? (found.most ? max : null));
  const summary = tableOf(
    'Capacity',
    [found],
    [
      { name: 'capacity', unit, of: ({ rate }) => rate },
      { name: 'held for', unit: 's', of: () => held?.duration_s ?? null },
      { name: 'p99', unit: 'ms', of: () => held?.latency_ms?.p99 ?? null },
      { name: 'failed', unit: 'ratio', of: () => held?.failure_rate ?? null },
      { name: 'breaks at', unit, of: () => brokenAt },
      { name: 'limited by', unit: 'text', of: () => limit },
    ],
    [
      `A ${one} counts as broken if it breaks twice. The highest ${one} that held and the lowest that broke are within ${percent(result.precision)} of each other.`,
    ],
  );
  const others = limiting ? othersBusy((signal) => mean(signal, limiting.trial)) : '';
  const full = noVU && fullText(signals, noVU.trial);
  const statement =
    sentence({ ...TEXTS[of], found, limit, byGenerator, noVU, full, heldS: held?.duration_s ?? 0 }) + others;
  const nothing = judged({
    scope: {},
    metric: 'capacity_rps',
    op: '>=',
    limit: 1,
    observed: 0,
    samples: tried.length,
    what: `the highest ${one} that held`,
    format: text,
  });
  return {
    tables: [summary, search],
    thresholds: found.rate === null ? [nothing] : result.thresholds,
    findings: [
      note('capacity', statement, {
        kind: byGenerator && !full ? 'generator' : 'bottleneck',
        phase: hold?.trial ?? null,
        figures:
          of === 'rate'
            ? { capacity_rps: found.rate, broken_rps: brokenAt }
            : { capacity_processes: found.rate, broken_processes: brokenAt },
      }),
    ],
  };
}

function missedText({ holds, generator, users, missed }: Tried): string {
  if (holds) return 'nothing';
  if (generator) return `unknown: ${users ? 'no VU was free' : 'generator at its limit'}`;
  return missed.join(', ') || 'too few answers';
}

/**
 * @param mean the mean of a signal in the broken step
 * @returns a remark if other programs or the generator used the machine's CPU; '' otherwise
 */
function othersBusy(mean: (signal: string) => number | null): string {
  const [host, target, generator] = [mean('host_cpu'), mean('cpu'), mean('generator_cpu')];
  if (host === null || target === null || generator === null || host < BUSY_HOST) return '';
  const shares = `the target ${percent(target)} and the load generator ${percent(generator)}`;
  if (target + generator > OWN_SHARE * host)
    return generator < GENERATOR_SHARE * host
      ? ''
      : `: the machine was full (${percent(host)}, of which ${shares}); the server may do more with the generator on another machine`;
  return `: other programs used the machine (${percent(host)}, of which ${shares}); an idle machine may hold more`;
}

interface Outcome {
  text: (size: number) => string;
  one: string;
  many: string;
  max: string;
  found: Found;
  limit: string | null;
  byGenerator: boolean;
  /** A step without enough free VUs. */
  noVU: Tried | undefined;
  /** The saturated resource in it. */
  full: string | null | undefined;
  heldS: number;
}

function sentence({ text, one, many, max, found, limit, byGenerator, noVU, full, heldS }: Outcome) {
  const { rate, broken, lowered, most } = found;
  if (rate === null) return `no ${one} held: ${limit ?? 'none could be judged'}`;
  const hold = `held for ${Math.round(heldS)} s${lowered > 0 ? ` after ${lowered} higher ${lowered === 1 ? one : many} broke while held` : ''}`;
  if (byGenerator && noVU)
    return `at least ${text(rate)}, ${hold}: at ${text(noVU.rate)} no VU was free${full ? ` and ${full}` : ''}; raise MAX_VUS to see whether the server answers more`;
  if (byGenerator)
    return `at least ${text(rate)}, ${hold}: the load generator was the limit, not the server; run it on a separate machine`;
  if (broken === null)
    return `at least ${text(rate)}, ${hold}${most ? `: nothing higher was tried (${max})` : ''}`;
  return `${text(rate)}, ${hold}; at ${text(broken)}, the server misses ${limit}`;
}
