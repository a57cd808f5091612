/** The variables that make accepts, one name a line. make rejects all others, also before Node.js is installed. */
import { groups } from '../contract/variables.js';
import { VARIABLES as ofTarget } from '../target/config.js';

/** Variables of benches and fuzzing. Each of these programs documents its own. */
const OF_BENCHES = [
  ...['AREA', 'AT', 'CASES', 'GOGC', 'INVALID', 'KINDS', 'LISTENERS', 'MINUTES', 'ONLY', 'PHASE_SECONDS'],
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
/** Accepted by every command: errors are printed with their stack trace. */
const DEBUG = 'DEBUG';

export function makeWords(): string {
  const names = groups.flatMap(([, variables]) => Object.keys(variables));
  const settings = Object.entries(ofTarget).flatMap(([name, variable]) =>
    'about' in variable ? [name] : [],
  );
  const all = new Set([...names, ...settings, ...OF_BENCHES, DEBUG]);
  return `${[...all].sort().join('\n')}\n`;
}
