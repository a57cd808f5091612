import { oneOf, text, textObject, token, url } from '../../contract/types.js';
import { headerLines } from '../../contract/variables/target.js';

const secret = true as const;

export const variables = {
  GATEWAY_URL: {
    type: url,
    help: 'gateway: the MCP endpoint of a gateway in front of the target; unset: ContextForge is started',
  },
  GATEWAY_RPC_URL: { type: url, help: 'gateway: its plain JSON-RPC endpoint, which is measured too' },
  GATEWAY_TOKEN: { type: token, help: 'gateway: its bearer token; never printed or stored', secret },
  GATEWAY_HEADERS: {
    type: headerLines,
    help: 'gateway: its headers, as TARGET_HEADERS; values are never printed',
    secret,
  },
  GATEWAY_PREFIX: {
    type: text,
    help: "gateway: what it puts in front of the target's names of tools; TOOL_NAMES where it does more to them",
  },
  GATEWAY_STORE: {
    type: oneOf(['sqlite', 'stack']),
    default: 'sqlite',
    help: "gateway: where ContextForge keeps its things; stack: the stack's PostgreSQL and Redis",
  },
  GATEWAY_SETTINGS: {
    type: textObject,
    help: "gateway: ContextForge's own settings (secrets among them never printed)",
    valid: 'one JSON object of texts, for example {"WEB_CONCURRENCY":"2"}',
    secret,
  },
};
