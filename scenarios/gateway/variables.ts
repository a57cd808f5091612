import { oneOf, text, textObject, token, url } from '../../contract/types.js';
import { headerLines } from '../../contract/variables/target.js';

const secret = true as const;

export const variables = {
  GATEWAY_URL: {
    type: url,
    help: 'gateway: MCP endpoint of a gateway in front of the target; unset: the test starts ContextForge',
  },
  GATEWAY_RPC_URL: { type: url, help: 'gateway: plain JSON-RPC endpoint of the gateway, measured as well' },
  GATEWAY_TOKEN: {
    type: token,
    help: 'gateway: bearer token for the gateway; never printed or stored',
    secret,
  },
  GATEWAY_HEADERS: {
    type: headerLines,
    help: 'gateway: headers of requests to the gateway, in the format of TARGET_HEADERS; values are never printed',
    secret,
  },
  GATEWAY_PREFIX: {
    type: text,
    help: "gateway: prefix that the gateway adds to the target's tool names; for other changes, use TOOL_NAMES",
  },
  GATEWAY_STORE: {
    type: oneOf(['sqlite', 'stack']),
    default: 'sqlite',
    help: "gateway: storage of ContextForge; stack: the stack's PostgreSQL and Redis",
  },
  GATEWAY_SETTINGS: {
    type: textObject,
    help: 'gateway: environment variables of ContextForge; secrets are never printed',
    valid: 'a JSON object with string values, for example {"WEB_CONCURRENCY":"2"}',
    secret,
  },
};
