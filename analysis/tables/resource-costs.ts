/**
 * Estimates the cost of one more item (a stream, a client that left) on the server, as slopes of its signals.
 */
import { bytes, number, percent } from '../../contract/units.js';
import { isBlurred, type Signal, signalMean } from '../collect/signals.ts';
import type { Phase } from '../judge/phases.ts';
import { STREAMS } from '../limits.ts';
import { fitLine, type Line } from '../statistics/line.ts';
import type { Column } from './report-tables.ts';

/** By signal. `what`: text after a figure in a sentence. */
const RESOURCES = {
  memory: { title: 'memory', unit: 'bytes', what: 'of memory' },
  open_files_count: { title: 'open files', unit: 'count', what: 'open files' },
  threads: { title: 'threads', unit: 'count', what: 'threads' },
} as const;
export type Resource = keyof typeof RESOURCES;

export interface Cost {
  resource: Resource;
  /** null if fewer than three phases have the signal. */
  line: Line | null;
}

/** @param points phases, each with its number of items; phases that are too short for signals are ignored */
export function costsOf(signals: Signal[], points: readonly { phase: Phase; count: number }[]): Cost[] {
  const long = points.filter(({ phase }) => !isBlurred(phase.duration_s));
  return (Object.keys(RESOURCES) as Resource[]).map((resource) => ({
    resource,
    line: fitLine(
      long.flatMap(({ phase, count }): [number, number][] => {
        const value = signalMean(signals, resource, phase.name);
        return value === null ? [] : [[count, value]];
      }),
    ),
  }));
}

/** @returns the value with its sign */
const valueText = (resource: Resource, value: number): string => {
  const format = RESOURCES[resource].unit === 'bytes' ? bytes : number;
  return `${value < 0 ? '-' : ''}${format(Math.abs(value))}`;
};

export const costColumns = <Row extends Cost & { line: Line }>(): Column<Row>[] => [
  { name: 'resource', unit: 'text', of: ({ resource }) => RESOURCES[resource].title },
  { name: 'each', unit: 'text', of: ({ resource, line }) => valueText(resource, line.slope) },
  { name: 'from', unit: 'text', of: ({ resource, line }) => valueText(resource, line.slope - line.error) },
  { name: 'to', unit: 'text', of: ({ resource, line }) => valueText(resource, line.slope + line.error) },
  { name: 'phases', unit: 'count', of: ({ line }) => line.count },
];

export const COST_NOTE =
  'Each cost is a slope over their number, with its 95 % interval. A cost whose interval includes 0 is inconclusive.';

/**
 * @returns the costs that are significantly above zero, as `20 KiB of memory (+-3 %), 1 open files`; ''
 *   without figures if there are none
 */
export function costText(costs: readonly Cost[], per: string) {
  const sure = costs.flatMap(({ resource, line }) =>
    line && line.slope > 0 && line.error <= STREAMS.maxCostError * line.slope ? [{ resource, line }] : [],
  );
  return {
    text: sure
      .map(
        ({ resource, line: { slope, error } }) =>
          `${valueText(resource, slope)} ${RESOURCES[resource].what} (+-${percent(error / slope, 2)})`,
      )
      .join(', '),
    figures: Object.fromEntries(sure.map(({ resource, line }) => [`${resource}_per_${per}`, line.slope])),
  };
}
