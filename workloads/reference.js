/** The reference target's tools (target/tools/), with arguments that match its seed data. */

const USERS = 10_000;
const ITEMS = 10_000;
const REGIONS = ['africa', 'asia', 'europe', 'gulf'];
const CITIES = ['Berlin', 'Lagos', 'Lima', 'Osaka', 'Oslo', 'Pune'];
const PLANS = ['free', 'basic', 'pro', 'enterprise'];
const NAME_STARTS = ['a', 'be', 'ca', 'da', 'el', 'jo', 'ma', 'sa'];

/** @template T @param {T[]} list @returns {T} */
const oneOf = (list) => /** @type {T} */ (list[Math.floor(Math.random() * list.length)]);

/**
 * Requests some users far more often than others, so that a cache is useful. Cubing a uniform random number
 * sends 58% of the calls to the first fifth of the users.
 */
const someUser = () => 1 + Math.floor(USERS * Math.random() ** 3);

/**
 * Checks that an answer contains a piece of JSON, either in structured content or, with escaped quotes, in text
 * content. The target's setting CONTENT selects the format.
 *
 * @param {string} text
 * @param {string} json
 */
const holds = (text, json) => text.includes(json) || text.includes(json.replaceAll('"', '\\"'));

/**
 * The order of the members is not fixed, but an email address identifies a user.
 *
 * @param {string} text
 * @param {number} id
 */
const isUser = (text, id) => holds(text, `"user${id}@example.com"`);

/** @param {any} result */
export const contentOf = ({ structuredContent, content }) => structuredContent ?? JSON.parse(content[0].text);

/** @param {Record<string, number>} labels */
const batchSize = ({ items = 100 }) => items;

/** Arguments of `payload` as JSON text by size in KB, built once. @type {Record<number, string>} */
const payloads = {};

/** @param {Record<string, number>} labels */
const payload = ({ kb = 1 }) => {
  const bytes = kb * 1024;
  payloads[kb] ??= JSON.stringify({ body: 'x'.repeat(bytes), reply_bytes: bytes });
  return payloads[kb];
};

/** @type {import('../lib/workload.js').Workload} */
export default {
  name: 'reference',
  operations: {
    get_user: {
      class: 'read',
      args: () => ({ user_id: someUser() }),
      expect: ({ text }, { user_id }) => isUser(text, user_id),
    },
    search_users: {
      class: 'read',
      args: () => ({ query: oneOf(NAME_STARTS), limit: 10 }),
      expect: ({ text }) => holds(text, '"users":['),
    },
    update_user: {
      class: 'write',
      args: () => ({ user_id: someUser(), city: oneOf(CITIES), plan: oneOf(PLANS) }),
      expect: ({ text }, { user_id, city }) => isUser(text, user_id) && holds(text, `"city":"${city}"`),
    },
    generate_report: {
      class: 'complex',
      args: () => ({ region: oneOf(REGIONS) }),
      expect: ({ result }, { region }) => contentOf(result).region === region,
    },
    fetch_weather: {
      class: 'complex',
      args: () => ({ city: oneOf(CITIES) }),
      expect: ({ result }, { city }) => contentOf(result).city === city,
    },
    process_batch: {
      class: 'write',
      args: (labels) => {
        // Use a bounded set of keys, so that the table does not grow with the length of a test.
        const { of: keys = ITEMS } = labels;
        const start = Math.floor(Math.random() * keys);
        const items = Array.from({ length: batchSize(labels) }, (_, index) => ({
          key: `item-${(start + index) % keys}`,
          value: Math.floor(Math.random() * 1000),
        }));
        return { items };
      },
      items: batchSize,
      expect: ({ result }, { items }) => contentOf(result).processed === items.length,
    },
    payload: {
      class: 'read',
      args: payload,
      // The answer contains the text of the arguments and at least as much around it.
      expect: ({ text }, args) => text.length > args.length,
    },
  },
  mixes: {
    // 60% reads, 30% writes, 10% complex calls; one call in two hundred waits for a slow upstream service.
    mixed: { get_user: 45, search_users: 15, update_user: 30, generate_report: 9.5, fetch_weather: 0.5 },
    // Calls that need both stores. Calls that fail by design are excluded.
    stores: { get_user: 45, search_users: 25, update_user: 30 },
  },
};
