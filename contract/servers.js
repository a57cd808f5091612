/** The servers that a test can load: `servers` of each definition in scenarios/. */

/** @typedef {'any' | 'operations' | 'reference'} Servers */

/** `label` is the cell of `make list` and docs/tests.md. @type {Record<Servers, {label: string, about: string}>} */
export const SERVERS = {
  any: { label: 'any', about: 'every MCP server' },
  operations: {
    label: 'its operations',
    about: "a server with the test's own operations, or a WORKLOAD that has them",
  },
  reference: { label: 'reference', about: 'the reference target alone' },
};
