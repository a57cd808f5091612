import { counted, milliseconds, number, perSecond } from '../../contract/units.js';
import { type Estimate, isLessThanOne, isOne } from '../capacity.ts';
import { shortfallCause } from '../judge/shortfall.ts';
import { CAPACITY } from '../limits.ts';
import { round } from '../round.ts';
import type { Finding } from './finding.ts';
import { fullText } from './full-server.ts';
import type { Known } from './known.ts';
import { remedy } from './remedy.ts';

const UNKNOWN = {
  short:
    'the number of concurrent calls is unknown: the calls are too short, so the client and the network take a large part of their time',
  failing: 'the number of concurrent calls is unknown: too many calls failed',
};

/**
 * @returns a finding about the capacity: the highest rate of answers among the phases in which calls waited
 */
export function capacity({ capacities }: Pick<Known, 'capacities'>): Finding[] {
  const [best] = capacities.toSorted((a, b) => b.answers_per_s.value - a.answers_per_s.value);
  if (!best) return [];
  const { phase, baseline, answers_per_s: rate, service_ms: service, parallelism, unknown } = best;
  return [
    {
      kind: 'capacity',
      subject: 'capacity',
      phase,
      confidence: rate.high - rate.low <= CAPACITY.maxWidth * rate.value ? 'high' : 'medium',
      statement: `answers at most ${perSecond(rate.value)}${parallelism ? `, ${atOnce(parallelism)}` : ''}: measured in ${phase} while calls waited`,
      figures: {
        answers_per_s: rate.value,
        service_ms: service.value,
        parallelism: parallelism?.value ?? null,
      },
      evidence: [
        `${between(rate, perSecond)} over ${counted(best.toS - best.fromS, 'second')}, by time of the answer`,
        `service time without waiting: ${between(service, milliseconds)} (medians in ${baseline}, weighted by operation)`,
        parallelism
          ? `calls served concurrently (Little's law): ${perSecond(rate.value)} x ${milliseconds(service.value)} = ${between(parallelism, (value) => number(atMostOneDigit(value)))}`
          : UNKNOWN[unknown ?? 'short'],
      ],
    },
  ];
}

type Facts = Pick<Known, 'capacities' | 'phases' | 'plan' | 'server' | 'vusMax'>;

/**
 * @returns a finding about the fastest phase in which all VUs were busy while the server was full: its rate
 *   is a lower bound of the capacity; none if the capacity is known
 */
export function atLeast({ capacities, phases, plan, server, vusMax }: Facts): Finding[] {
  if (capacities.length > 0) return [];
  const [fastest] = phases
    .filter(
      (phase) =>
        phase.measured &&
        (phase.dropped ?? 0) > 0 &&
        shortfallCause(phase, { plan, phases, vusMax }).of === 'users',
    )
    .flatMap((phase) => {
      const full = fullText(server.signals, phase.name);
      const good = phase.outcomes?.ok?.calls ?? (phase.failed ? 0 : (phase.calls ?? 0));
      return full && good > 0 ? [{ phase, full, rate: good / phase.duration_s }] : [];
    })
    .toSorted((a, b) => b.rate - a.rate);
  if (!fastest) return [];
  const { phase, full, rate } = fastest;
  return [
    {
      kind: 'capacity',
      subject: 'capacity',
      phase: phase.name,
      confidence: 'medium',
      statement: `answers at least ${perSecond(rate)}: in ${phase.name} all VUs were busy, and ${full}`,
      figures: { answers_per_s: rate },
      evidence: [remedy('raise MAX_VUS to see whether the server answers more or only queues calls')],
    },
  ];
}

/** @returns the number of calls that the server works on concurrently, as part of a sentence */
export function atOnce(calls: Estimate): string {
  if (isOne(calls)) return 'about one call at a time';
  if (isLessThanOne(calls)) return 'less than one call at a time (each takes longer than before)';
  return `about ${counted(atMostOneDigit(calls.value), 'call')} at a time`;
}

const atMostOneDigit = (value: number) => round(value, value < 10 ? 1 : 0);

const between = ({ value, low, high }: Estimate, text: (value: number) => string) =>
  `${text(value)} (${text(low)} to ${text(high)})`;
