/**
 * A server with roles: `POST /tools/{tool}/call` with the user in X-User-ID. Each operation is a call of one
 * tool by one user.
 */

/** @typedef {import('../lib/workload.js').OperationSpec} OperationSpec */

/**
 * @param {string} user
 * @param {string} tool
 * @param {number[]} statuses expected statuses; any other answer is a failure
 * @param {Record<string, unknown>} [args]
 * @returns {OperationSpec}
 */
const call = (user, tool, statuses, args = {}) => ({
  class: 'read',
  tool,
  args: () => args,
  request_headers: { 'X-User-ID': user },
  expect_status: statuses,
});

/** @type {Record<string, OperationSpec>} */
const scenarios = {
  'dev_user/list_files': call('dev_user', 'list_files', [200]),
  // Not every server has this file.
  'dev_user/read_file': call('dev_user', 'read_file', [200, 404], { path: 'README.md' }),
  'guest_user/git_status': call('guest_user', 'git_status', [200]),
  'guest_user/git_log': call('guest_user', 'git_log', [200]),
  'admin_user/get_current_model': call('admin_user', 'get_current_model', [200]),
};

/** Calls that must be denied, because the user lacks the required level. @type {Record<string, OperationSpec>} */
const denials = {
  'denied/guest_user/list_files': call('guest_user', 'list_files', [403]),
  'denied/guest_user/list_users': call('guest_user', 'list_users', [403]),
  'denied/dev_user/list_users': call('dev_user', 'list_users', [403]),
};

/** @param {Record<string, unknown>} operations @param {number} weight total weight */
const evenly = (operations, weight) => {
  const names = Object.keys(operations);
  return Object.fromEntries(names.map((name) => [name, weight / names.length]));
};

/** @type {import('../lib/workload.js').Workload} */
export default {
  name: 'rbac',
  dialect: 'rest',
  operations: { ...scenarios, ...denials },
  mixes: {
    scenarios: evenly(scenarios, 100),
    // Equal weights: calls must be denied while others are allowed.
    guarded: { ...evenly(scenarios, 50), ...evenly(denials, 50) },
  },
};
