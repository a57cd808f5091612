/** What a report in the terminal has room for, and what is left out where that is not enough. */

/**
 * Lines that a report has room for. `rows` are those of each of the test's own tables, `notes` lines below it, `reasonLines` lines of a reason.
 */

export interface Room {
  phases: number;
  missed: number;
  findings: number;
  reasons: number;
  reasonLines: number;
  tables: number;
  rows: number;
  notes: number;
  /** Empty lines between blocks. */
  gaps: boolean;
}

export const ROOMY: Room = {
  phases: 8,
  missed: 4,
  findings: 3,
  reasons: 4,
  reasonLines: 6,
  tables: 3,
  rows: 10,
  notes: 4,
  gaps: true,
};
/** What is left out, step by step, until all of it fits. A test's own tables are what it is run for: phases go first there. */
export const STEPS: Partial<Room>[] = [
  { notes: 0 },
  { reasonLines: 3, reasons: 3 },
  { gaps: false },
  { phases: 6, reasonLines: 2 },
  { findings: 2, missed: 3 },
  { phases: 4, reasons: 2 },
  { findings: 1, missed: 2, phases: 3 },
  { reasonLines: 1, missed: 1 },
];
export const STEPS_WITH_TABLES: Partial<Room>[] = [
  { phases: 4 },
  { phases: 0 },
  { notes: 1, reasonLines: 3, reasons: 3 },
  { gaps: false },
  { notes: 0, reasonLines: 2 },
  { findings: 2, missed: 2 },
  { findings: 1, missed: 1, reasons: 1 },
  { findings: 0 },
  { tables: 2 },
  { tables: 1 },
  { rows: 8 },
  { rows: 6 },
  { rows: 4, reasonLines: 1 },
];
