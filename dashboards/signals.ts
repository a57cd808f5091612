/** How Grafana draws each signal. */
import { MAX_GENERATOR_CPU } from '../contract/limits.js';
import { SIGNALS, type Signal } from '../contract/signals.js';

/** A colour that applies from `value` upwards; null: the lowest step. */
export interface Step {
  color: string;
  value: number | null;
}

interface DrawnSignal {
  title: string;
  description: string;
  /** Grafana's unit id. */
  unit: string;
  /** Maximum of the axis. */
  max?: number;
  steps?: Step[];
}

export const steps = (orange: number, red: number): Step[] => [
  { color: 'green', value: null },
  { color: 'orange', value: orange },
  { color: 'red', value: red },
];
/** Purple always means that the results are not trustworthy. */
export const GENERATOR_STEPS: Step[] = [
  { color: 'green', value: null },
  { color: 'orange', value: 0.6 },
  { color: 'purple', value: MAX_GENERATOR_CPU },
];
/** Steps of a failure rate: orange from one failure in 10,000 requests upwards. */
export const FAILURE_STEPS = steps(0.0001, 0.01);
/** For values that are neither good nor bad. */
export const NEUTRAL: Step[] = [{ color: 'blue', value: null }];

const UNITS: Record<string, string> = {
  ratio: 'percentunit',
  bytes: 'bytes',
  seconds: 's',
  count: 'short',
  rate: 'ops',
  bytes_rate: 'Bps',
};

function stepsOf(name: string, { steps: limits }: Signal): Step[] | undefined {
  if (name === 'generator_cpu:ratio') return GENERATOR_STEPS;
  if (!limits) return undefined;
  const [first, red] = limits;
  return red === undefined
    ? [
        { color: 'green', value: null },
        { color: 'red', value: first },
      ]
    : steps(first, red);
}

/** @param name NAME:UNIT */
export function drawnSignal(name: string): DrawnSignal {
  const signal = SIGNALS[name];
  if (!signal) throw new Error(`the signal is ${name}; valid: ${Object.keys(SIGNALS).join(', ')}`);
  const unit = name.split(':')[1] ?? '';
  const drawn = stepsOf(name, signal);
  return {
    title: signal.title,
    description: signal.description,
    unit: name === 'rate_limited:rate' ? 'reqps' : (UNITS[unit] ?? ''),
    ...(unit === 'ratio' && !signal.above1 && { max: 1 }),
    ...(drawn && { steps: drawn }),
  };
}
