/** The servers that a test can load: `servers` in the definitions in scenarios/. */

/** @typedef {'any' | 'operations' | 'reference'} Servers */

/**
 * `label` is shown by `make list` and in docs/tests.md.
 *
 * @type {Record<Servers, {label: string, about: string}>}
 */
export const SERVERS = {
  any: { label: 'any', about: 'every MCP server' },
  operations: {
    label: 'its operations',
    about: "a server with the test's own operations, or a WORKLOAD that has them",
  },
  reference: { label: 'reference', about: 'the reference target alone' },
};
