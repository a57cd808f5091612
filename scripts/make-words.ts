/** The variables that make takes, a name a line: it refuses every other, and Node.js may not be there yet. */
import { groups } from '../contract/variables.js';
import { VARIABLES as ofTarget } from '../target/config.js';

/** Of benches and fuzzing, each of which says in its own file what they are. */
const OF_BENCHES = [
  ...[
    'AREA',
    'AT',
    'CASES',
    'GOGC',
    'INVALID',
    'KINDS',
    'LISTENERS',
    'MINUTES',
    'ONLY',
    'PHASE_SECONDS',
  ],
  ...[
    'PLATFORMS',
    'POOL',
    'POOL_DIR',
    'PROPERTY',
    'REANALYSE',
    'REMOVED',
    'ROUNDS',
    'SCRAPES',
    'SESSIONS',
    'STALL_SECONDS',
    'TABLE',
  ],
  ...['TRIALS', 'USERS'],
];
/** For every command: an error shows its stack. */
const DEBUG = 'DEBUG';

export function makeWords(): string {
  const names = groups.flatMap(([, variables]) => Object.keys(variables));
  const settings = Object.entries(ofTarget).flatMap(([name, variable]) =>
    'about' in variable ? [name] : [],
  );
  const all = new Set([...names, ...settings, ...OF_BENCHES, DEBUG]);
  return `${[...all].sort().join('\n')}\n`;
}
