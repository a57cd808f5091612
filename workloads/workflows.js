/**
 * A client's usual steps on the reference target: single calls, lists, subscriptions, and sequences of
 * dependent calls.
 */
import reference, { contentOf } from './reference.js';

const USERS = 10_000;
/** Names in the seed data. */
const NAMES = ['ada', 'boris', 'chiara', 'dmitri', 'elena', 'farid', 'grace', 'hugo'];
const CITIES = ['Berlin', 'Lagos', 'Lima', 'Osaka'];

/** @param {string[]} list */
const oneOf = (list) => list[Math.floor(Math.random() * list.length)];

/** The tools and their arguments. Later calls use the results of earlier calls. */
const { get_user, search_users, update_user } = reference.operations;

let found = 1;

/** Each VU subscribes to new resources, starting at a random resource. */
let next = Math.floor(Math.random() * USERS);

/** @type {import('../lib/workload.js').Workload} */
export default {
  name: 'workflows',
  operations: {
    'tool-call': {
      .../** @type {import('../lib/workload.js').OperationSpec} */ (get_user),
      tool: 'get_user',
    },
    'resource-list': {
      class: 'protocol',
      method: 'resources/list',
      expect: ({ text }) => text.includes('"uri":"regions://europe"'),
    },
    'resource-subscribe': {
      class: 'write',
      method: 'resources/subscribe',
      member: 'uri',
      args: () => {
        next = (next + 1) % USERS;
        return `"users://${next + 1}"`;
      },
    },
    'prompt-list': {
      class: 'protocol',
      method: 'prompts/list',
      expect: ({ text }) => text.includes('"name":"greet_user"'),
    },
    'tool-sequence': { class: 'complex', calls: ['find', 'read', 'change'] },
    find: {
      .../** @type {import('../lib/workload.js').OperationSpec} */ (search_users),
      tool: 'search_users',
      args: () => ({ query: oneOf(NAMES), limit: 10 }),
      received: ({ result }) => {
        found = contentOf(result).users[0].id;
      },
    },
    read: {
      .../** @type {import('../lib/workload.js').OperationSpec} */ (get_user),
      tool: 'get_user',
      args: () => ({ user_id: found }),
    },
    change: {
      .../** @type {import('../lib/workload.js').OperationSpec} */ (update_user),
      tool: 'update_user',
      args: () => ({ user_id: found, city: oneOf(CITIES) }),
    },
  },
  mixes: {},
};
