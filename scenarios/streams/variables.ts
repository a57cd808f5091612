import { jsonObject, optional, positiveInteger, text } from '../../contract/types.js';

export const variables = {
  STREAMS: {
    type: optional(positiveInteger),
    help: 'streams: maximum number of held streams; the test starts with 10 [smoke: 100; quick: 1000; full: 10,000]',
  },
  NOTIFY_TOOL: {
    type: text,
    help: 'streams: tool that makes the server notify all clients, called about once per second',
    valid: "the name of one of the server's tools",
  },
  NOTIFY_ARGS: { type: jsonObject, help: "streams: the NOTIFY_TOOL's arguments, one JSON object" },
};
