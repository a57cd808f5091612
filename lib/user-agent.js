/** For k6's option `userAgent`. */
export const USER_AGENT = 'mcp-load-lab/0.1.0';
