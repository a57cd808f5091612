/** The quantities that `make capacity` can search for. */
import { number, perSecond } from '../../contract/units.js';

export const CAPACITY_OF = ['rate', 'processes'] as const;
export type CapacityOf = (typeof CAPACITY_OF)[number];

/** Texts of each quantity. unit, column: for the table of the search; max: the variable that limits it */
export const TEXTS = {
  rate: { text: perSecond, unit: 'per_s', column: 'offered', one: 'rate', many: 'rates', max: 'MAX_RATE' },
  processes: {
    text: (count: number) => `${number(count)} processes`,
    unit: 'count',
    column: 'processes',
    one: 'number of processes',
    many: 'numbers of processes',
    max: 'MAX_VUS',
  },
} as const;
