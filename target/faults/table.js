/** The target's faults, as data. `PUT /admin/faults` and TARGET_FAULTS use these names. */

/**
 * @typedef {object} Fault
 * @property {number} max the largest value; 0 turns the fault off
 * @property {boolean} [whole] the value must be a whole number
 * @property {string} about description
 */

/** @satisfies {Record<string, Fault>} */
export const FAULTS = {
  cpu_burn_ms: { max: 1000, about: "CPU time, in ms, that each tool call uses on its worker's thread" },
  pool_size: { max: 1000, whole: true, about: 'database connections per worker, instead of POOL_SIZE' },
  pool_leak_per_minute: {
    max: 6000,
    about: 'connections per minute that the target takes from its pools and never returns',
  },
  slow_statement_ms: { max: 10_000, about: 'additional duration of each PostgreSQL statement, in ms' },
  lock_hold_ms: {
    max: 2000,
    about: 'time, in ms, that each user tool call locks the same row',
  },
  cache_off: { max: 1, whole: true, about: '1: lookups bypass Redis' },
  cache_delay_ms: { max: 1000, about: "additional time, in ms, that each command keeps Redis' thread busy" },
  upstream_delay_ms: { max: 30_000, about: 'additional latency of the weather service, in ms' },
  rate_limit_rps: {
    max: 1_000_000,
    whole: true,
    about: 'maximum requests per second, then status 429; instead of RATE_LIMIT_RPS',
  },
  memory_leak_mb_per_minute: {
    max: 100_000,
    about: 'resident memory per minute, in MB (1,000,000 bytes), that the target allocates and never frees',
  },
  gc_pressure_mb: {
    max: 64,
    about: 'memory, in MB, that each tool call allocates in short-lived small objects',
  },
  stretch_percent: {
    max: 1000,
    about: 'additional duration of each tool call, in percent of its own duration',
  },
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
