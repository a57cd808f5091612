import { z } from 'zod';
import { BEGIN_SNAPSHOT } from '../database.js';
import { CATEGORIES, REGIONS } from '../seed.js';

const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1);

/** Bootstrap resamples, which make the report CPU-intensive. */
const RESAMPLES = 200;
const CONFIDENCE = 0.95;

/** @type {import('../database.js').Statement} */
const SELECT_MONTH = {
  name: 'report_month',
  type: 'select',
  text: 'SELECT user_id, category, amount_cents FROM orders WHERE region = $1 AND month = $2',
};

/** @type {import('../database.js').Statement} */
export const COUNT_USERS = {
  name: 'report_users',
  type: 'select',
  text: 'SELECT plan, count(*)::int AS users FROM users WHERE region = $1 GROUP BY plan ORDER BY plan',
};

/** @type {import('../database.js').Statement} */
const SELECT_TOTAL = {
  name: 'report_total',
  type: 'select',
  text: 'SELECT sum(amount_cents)::int AS cents FROM orders WHERE month = $1',
};

/** @type {import('../database.js').Statement} */
const SELECT_NAMES = {
  name: 'report_names',
  type: 'select',
  text: 'SELECT id, name FROM users WHERE id = ANY($1::int[])',
};

/** @typedef {{user_id: number, category: string, amount_cents: number}} Order */

const Spread = z.object({ median: z.number(), p95: z.number(), mean_low: z.number(), mean_high: z.number() });

/** @satisfies {import('../mcp.js').Tool} */
export default {
  name: 'generate_report',
  title: 'Generate a report',
  description:
    "Summarizes a region's orders over a year. Runs 15 queries in one snapshot, then a CPU-intensive aggregation.",
  inputSchema: z.object({ region: z.enum(REGIONS) }),
  outputSchema: z.object({
    region: z.string(),
    users_by_plan: z.record(z.string(), z.int()),
    revenue_by_month: z.array(z.number()),
    revenue_by_category: z.record(z.string(), z.number()),
    best_month_share: z.number().describe("the region's part of all revenue in its best month, 0 to 1"),
    order_value: Spread.describe('of one order, with the 95% interval of the mean'),
    top_customers: z.array(z.object({ name: z.string(), revenue: z.number() })),
  }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  run: ({ region }, { database }) =>
    database.transaction(async (/** @type {import('../database.js').Run} */ run) => {
      /** @type {Order[][]} */
      const months = [];
      for (const month of MONTHS) months.push(await run(SELECT_MONTH, [region, month]));
      const orders = months.flat();
      const revenueByMonth = months.map(revenue);
      const best = Math.max(...revenueByMonth);
      const customers = topCustomers(orders);

      const plans = await run(COUNT_USERS, [region]);
      const [total] = await run(SELECT_TOTAL, [revenueByMonth.indexOf(best) + 1]);
      const names = await run(SELECT_NAMES, [customers.map(({ id }) => id)]);
      const nameOf = new Map(names.map(({ id, name }) => [id, name]));
      return {
        region,
        users_by_plan: Object.fromEntries(plans.map(({ plan, users }) => [plan, users])),
        revenue_by_month: revenueByMonth,
        revenue_by_category: Object.fromEntries(
          CATEGORIES.map((category) => [
            category,
            revenue(orders.filter((order) => order.category === category)),
          ]),
        ),
        best_month_share: (best * 100) / total.cents,
        order_value: spread(orders.map(({ amount_cents }) => amount_cents / 100)),
        top_customers: customers.map(({ id, cents }) => ({ name: nameOf.get(id), revenue: cents / 100 })),
      };
    }, BEGIN_SNAPSHOT),
};

/** @param {Order[]} orders */
function revenue(orders) {
  return orders.reduce((cents, order) => cents + order.amount_cents, 0) / 100;
}

/** @param {Order[]} orders */
function topCustomers(orders) {
  /** @type {Map<number, number>} */
  const spent = new Map();
  for (const { user_id, amount_cents } of orders)
    spent.set(user_id, (spent.get(user_id) ?? 0) + amount_cents);
  return [...spent]
    .map(([id, cents]) => ({ id, cents }))
    .sort((a, b) => b.cents - a.cents || a.id - b.id)
    .slice(0, 10);
}

/**
 * @param {number[]} values
 * @returns {z.infer<typeof Spread>}
 */
function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const means = bootstrapMeans(sorted).toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    mean_low: toCents(quantile(means, (1 - CONFIDENCE) / 2)),
    mean_high: toCents(quantile(means, (1 + CONFIDENCE) / 2)),
  };
}

/**
 * Returns the means of random resamples. The random numbers have a fixed seed, so the same orders give the same report.
 * @param {number[]} values
 */
function bootstrapMeans(values) {
  let state = 1;
  return Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let n = 0; n < values.length; n++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      sum += /** @type {number} */ (values[Math.floor((state / 2 ** 32) * values.length)]);
    }
    return sum / values.length;
  });
}

/**
 * @param {number[]} sorted
 * @param {number} share 0 to 1
 */
function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** @param {number} amount */
function toCents(amount) {
  return Math.round(amount * 100) / 100;
}
