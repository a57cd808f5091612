/** The servers that a test can load: `servers` in the definitions in scenarios/. */

/** @typedef {'any' | 'operations' | 'reference'} Servers */

/**
 * `label` is shown by `make list` and in docs/tests.md.
 *
 * @type {Record<Servers, {label: string, about: string}>}
 */
export const SERVERS = {
  any: { label: 'any', about: 'any MCP server' },
  operations: {
    label: 'specific',
    about: "a server or a WORKLOAD with the test's own operations",
  },
  reference: { label: 'reference', about: 'only the reference target' },
};
