/** `make gateway`: what a gateway adds to each call, and what it takes away of the throughput. */
import { milliseconds, number, percent } from '../../contract/units.js';
import { differenceOf } from '../bootstrap.js';
import { intervalOf } from '../interval.js';
import { percentile } from '../percentile.js';
import { sumsWithin } from '../seconds.ts';
import { PERCENTILE_ERROR } from '../sparse-histogram.ts';

const WAYS = /** @type {Record<string, string>} */ ({
  direct: 'direct, MCP',
  mcp: 'gateway, MCP',
  rpc: 'gateway, JSON-RPC',
});
const SHARES = { p50: 0.5, p95: 0.95, p99: 0.99 };
/** Answers that a percentile needs to be one. */
const NEEDS = { p50: 10, p95: 20, p99: 100 };
/** In the beginning of a phase users open their sessions: seconds, at most a third of it, that are left out. */
const OPENING_S = 2;
/** Busy processors from which on the gateway's one process is what limits. */
const ONE_PROCESS = 0.85;

/**
 * @typedef {import('../phases.js').Phase} Phase
 *
 * @typedef {object} Measured a phase without its beginning
 * @property {string} round
 * @property {number[]} latencies of the answers, ms
 * @property {number | null} perS answers; null without one
 * @property {number | null} busy processors that the gateway kept busy
 */

/** @type {import('../report-tables.js').TableBuilder} */
export default async function gateway({ phases, legs, seconds, note }) {
  const { gateway: name = 'the gateway', rate = null, cores = {} } = legs?.result ?? {};
  const wanted = phases.filter(({ measured, labels }) => measured && labels.round !== 'probe');
  const measured = await measure(wanted, legs, seconds, cores);
  /** @param {string} way @param {string} load */
  const of = (way, load) => wanted.filter(({ labels }) => labels.way === way && labels.load === load);
  /** @param {string} way @param {string} load */
  const roundsOf = (way, load) => of(way, load).flatMap((phase) => measured.get(phase.name) ?? []);

  const ways = Object.keys(WAYS).filter((way) => of(way, 'loop').length > 0);
  const through = ways.filter((way) => way !== 'direct');
  /** @param {string} way */
  const both = (way) => paired(roundsOf('direct', 'steady'), roundsOf(way, 'steady'));
  const steady = ways.map((way) => [
    WAYS[way] ?? way,
    ...counts(of(way, 'steady')),
    ...percentilesOf(roundsOf(way, 'steady')),
  ]);
  const added = through.map((way) => [WAYS[way] ?? way, ...differences(both(way))]);
  const loops = ways.map((way) => ({
    way: WAYS[way] ?? way,
    phases: of(way, 'loop'),
    rounds: roundsOf(way, 'loop'),
    ratio: way === 'direct' ? null : ratioOf(roundsOf('direct', 'loop'), roundsOf(way, 'loop')),
    busy: way === 'direct' ? null : meanOf(roundsOf(way, 'loop').flatMap(({ busy }) => busy ?? [])),
  }));
  const count = new Set(wanted.map(({ labels }) => labels.round)).size;
  const users = of('direct', 'loop')[0]?.vus ?? 0;
  const cut = `the first ${OPENING_S} s of each phase, in which users open their sessions, are left out`;
  return {
    tables: [
      {
        title: `The same calls, ${number(rate)}/s each: direct, and through ${name}`,
        columns: [
          ...columns('text', 'way'),
          ...columns('count', 'requests', 'failed'),
          ...columns('ms', ...Object.keys(SHARES)),
        ],
        rows: steady,
        notes: [
          `${cut}; a percentile is shown from ${Object.values(NEEDS).join(', ')} answers on, and is at most ${percent(PERCENTILE_ERROR)} off`,
        ],
      },
      {
        title: 'What the gateway adds to a call (95% interval)',
        columns: columns('text', 'way', ...Object.keys(SHARES)),
        rows: added,
        notes: [
          `through the gateway minus direct; two-stage bootstrap of ${count} rounds: first of the rounds, then of the answers in each (analysis/bootstrap.js)`,
        ],
      },
      {
        title: `${users} users that call in a loop`,
        columns: [
          ...columns('text', 'way'),
          ...columns('per_s', 'calls/s'),
          ...columns('text', 'of direct (95% interval)'),
          ...columns('ms', ...Object.keys(SHARES)),
          ...columns('count', 'failed', 'CPUs'),
        ],
        rows: loops.map(({ way, phases, rounds, ratio, busy }) => [
          way,
          meanOf(rounds.flatMap(({ perS }) => perS ?? [])),
          ratio,
          ...percentilesOf(rounds),
          counts(phases)[1] ?? null,
          busy,
        ]),
        notes: [
          `the interval is that of the mean ratio of the ${count} rounds, by Student; CPUs: processors that the gateway kept busy`,
        ],
      },
    ],
    findings: [
      ...through.flatMap((way) => {
        const median = differenceOf(both(way), SHARES.p50);
        if (!median) return [];
        const figures = { added_ms: median.value };
        return [note('overhead', `${WAYS[way]}: ${difference(median)} at the median of a call`, { figures })];
      }),
      ...loops.flatMap(({ way, busy }) => {
        if (busy === null || busy < ONE_PROCESS) return [];
        return [
          note(
            "gateway's CPU",
            `${way}, users in a loop: the gateway kept ${number(busy)} processors busy; ` +
              'one process has no more than one, so that is its limit, not the target',
            { figures: { processors: busy } },
          ),
        ];
      }),
    ],
  };
}

/**
 * @param {import('../report-tables.js').ColumnUnit} unit
 * @param {...string} names
 * @returns {import('../report-tables.js').Column[]}
 */
const columns = (unit, ...names) => names.map((name) => ({ name, unit }));

/** @param {number[]} values */
const meanOf = (values) =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/** @param {Phase[]} phases @returns {[number, number]} requests, and those of them that failed */
const counts = (phases) => [
  phases.reduce((sum, { requests }) => sum + (requests ?? 0), 0),
  phases.reduce((sum, { failed }) => sum + (failed ?? 0), 0),
];

/**
 * @param {Phase[]} phases
 * @param {import('../legs.js').Legs | null} legs
 * @param {import('../report-tables.js').Facts['seconds']} seconds
 * @param {Record<string, number | null>} cores by phase
 * @returns {Promise<Map<string, Measured>>} by phase
 */
async function measure(phases, legs, seconds, cores) {
  const windows = phases.map(({ name, labels, start, duration_s }) => {
    const openingS = Math.min(OPENING_S, duration_s / 3);
    const startS = Date.parse(start ?? '') / 1000;
    // Whole seconds: of the others some of the answers are of another phase's time.
    const [fromS, toS] = [Math.ceil(startS + openingS), Math.floor(startS + duration_s)];
    return { name, round: labels.round ?? '', fromS, toS, phases: [name] };
  });
  const found = await sumsWithin(
    (legs?.legs ?? []).map(({ name }) => seconds(name)),
    windows,
  );
  return new Map(
    windows.map(({ name, round, fromS, toS }, index) => {
      const latencies = found[index]?.latencies.all.values ?? [];
      const perS = toS > fromS ? latencies.length / (toS - fromS) : 0;
      return [name, { round, latencies, perS: perS || null, busy: cores[name] ?? null }];
    }),
  );
}

/** @param {Measured[]} direct @param {Measured[]} through @returns {import('../bootstrap.js').Round[]} */
function paired(direct, through) {
  return through.map(({ round, latencies }) => ({
    a: direct.find((other) => other.round === round)?.latencies ?? [],
    b: latencies,
  }));
}

/** @param {string} name @param {number} count */
const enough = (name, count) => count >= NEEDS[/** @type {keyof typeof NEEDS} */ (name)];

/** @param {Measured[]} rounds */
function percentilesOf(rounds) {
  const sorted = Float64Array.from(rounds.flatMap(({ latencies }) => latencies)).sort();
  return Object.entries(SHARES).map(([name, share]) =>
    enough(name, sorted.length) ? percentile(sorted, share) : null,
  );
}

/** @param {import('../bootstrap.js').Round[]} rounds */
function differences(rounds) {
  const least = Math.min(rounds.flatMap(({ a }) => a).length, rounds.flatMap(({ b }) => b).length);
  return Object.entries(SHARES).map(([name, share]) => {
    const found = enough(name, least) ? differenceOf(rounds, share) : null;
    return found ? difference(found) : `too few (${least})`;
  });
}

/** @param {import('../bootstrap.js').Difference} difference */
function difference({ value, low, high }) {
  const sign = value < 0 ? '' : '+';
  return `${sign}${milliseconds(value)}${low === null || high === null ? '' : ` (${number(low)} to ${number(high)})`}`;
}

/**
 * @param {Measured[]} direct
 * @param {Measured[]} through
 * @returns {string | null}
 */
function ratioOf(direct, through) {
  // Of logarithms: twice as many and half as many are equally far from the same.
  const ratios = through.flatMap(({ round, perS }) => {
    const same = direct.find((other) => other.round === round)?.perS;
    return perS && same ? [Math.log(perS / same)] : [];
  });
  const interval = intervalOf(ratios);
  if (!interval) return null;
  const { mean, low, high } = interval;
  const between =
    low === null || high === null ? '' : ` (${percent(Math.exp(low))} to ${percent(Math.exp(high))})`;
  return `${percent(Math.exp(mean))}${between}`;
}
