/** The target's faults, as data. `PUT /admin/faults` and TARGET_FAULTS use these names. */

/**
 * @typedef {object} Fault
 * @property {number} max the largest value; 0 turns the fault off
 * @property {boolean} [whole] the value must be a whole number
 * @property {string} about what it does
 */

/** @satisfies {Record<string, Fault>} */
export const FAULTS = {
  cpu_burn_ms: { max: 1000, about: "processor time that each tool call takes on its worker's thread" },
  pool_size: { max: 1000, whole: true, about: 'database connections of one worker, instead of POOL_SIZE' },
  pool_leak_per_minute: {
    max: 6000,
    about: 'connections that the whole target takes from its pools and never gives back',
  },
  slow_statement_ms: { max: 10_000, about: 'how much longer each statement takes in PostgreSQL' },
  lock_hold_ms: {
    max: 2000,
    about: "how long each call of a user tool holds one row's lock, which all of them need",
  },
  cache_off: { max: 1, whole: true, about: '1: look-ups go past Redis' },
  cache_delay_ms: { max: 1000, about: "how long each command keeps Redis' one thread busy besides" },
  upstream_delay_ms: { max: 30_000, about: 'how much later the weather service answers' },
  rate_limit_rps: {
    max: 1_000_000,
    whole: true,
    about: 'requests a second before 429, instead of RATE_LIMIT_RPS',
  },
  memory_leak_mb_per_minute: {
    max: 100_000,
    about: 'resident memory (MB of 1,000,000 bytes) that the whole target takes and never gives back',
  },
  gc_pressure_mb: { max: 64, about: 'what each tool call allocates in small objects and keeps for a moment' },
  stretch_percent: { max: 1000, about: 'how much longer each tool call takes, of what it took' },
};

/** @typedef {keyof typeof FAULTS} FaultName */
/** @typedef {Record<FaultName, number>} FaultValues value of every fault; 0: off */

/** @type {readonly FaultName[]} */
export const FAULT_NAMES = /** @type {FaultName[]} */ (Object.keys(FAULTS));

/** @type {Readonly<FaultValues>} */
export const NO_FAULTS = Object.freeze(
  /** @type {FaultValues} */ (Object.fromEntries(FAULT_NAMES.map((name) => [name, 0]))),
);

/** An unknown fault or an invalid value. The message is one line for the person who requested it. */
export class FaultError extends Error {}

/**
 * @param {unknown} wanted values by name; faults that are absent are turned off
 * @returns {FaultValues}
 * @throws {FaultError}
 */
export function readFaults(wanted) {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) {
    throw new FaultError(
      `faults are a JSON object of numbers by name, such as {"slow_statement_ms":50}; valid names: ${FAULT_NAMES.join(', ')}`,
    );
  }
  for (const [name, value] of Object.entries(wanted)) {
    if (!Object.hasOwn(FAULTS, name)) {
      throw new FaultError(
        `there is no fault ${JSON.stringify(name.slice(0, 80))}; valid: ${FAULT_NAMES.join(', ')}`,
      );
    }
    const { max, whole } = /** @type {Fault} */ (FAULTS[/** @type {FaultName} */ (name)]);
    const right =
      typeof value === 'number' && value >= 0 && value <= max && (!whole || Number.isInteger(value));
    if (!right) {
      throw new FaultError(
        `${name} got ${JSON.stringify(value).slice(0, 80)}; valid: a ${whole ? 'whole ' : ''}number from 0 (off) to ${max}`,
      );
    }
  }
  return { ...NO_FAULTS, ...wanted };
}

/**
 * @param {FaultValues} values
 * @returns {Partial<FaultValues>} the faults that are active
 */
export function activeFaults(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0));
}
