/** Every kind, outermost layer first: the first layer that failed names the failure, so no request has two. */
export const FAILURE_KINDS = /** @type {const} */ ([
  'connect',
  'timeout',
  'http_4xx',
  'rate_limited',
  'http_5xx',
  'protocol',
  'jsonrpc',
  'tool',
  'unexpected',
]);
