/** The table of the reference target's faults in docs/calibration.md. */
import { number } from '../contract/units.js';
import { FAULTS } from '../target/faults/table.js';
import { code, table } from './markdown-table.ts';

export const faultTable = (): string =>
  table(
    ['fault', 'maximum', 'description'],
    Object.entries(FAULTS).map(([name, { max, about }]) => [code(name), number(max, 9), about]),
  );
