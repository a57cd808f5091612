/** The `Mcp-Param-*` headers of one call; see param-headers.js for what a tool's schema says of them. */
import { headerValue } from './protocol.js';

/**
 * @param {Record<string, string>} headers what follows `Mcp-Param-` -> JSON pointer of the argument
 * @param {(text: string) => string} base64
 * @returns {(args: any) => Record<string, string>} gives the headers for the arguments of one call, or for their JSON
 */
export const paramHeaderValues = (headers, base64) => {
  const readers = Object.entries(headers).map(([name, pointer]) => ({
    header: `Mcp-Param-${name}`,
    path: pointer
      .slice(1)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
  }));
  return (args) => {
    const given = typeof args === 'string' ? JSON.parse(args) : args;
    /** @type {Record<string, string>} */
    const values = {};
    for (const { header, path } of readers) {
      let value = given;
      for (const step of path) value = value?.[step];
      // An argument that is null or not given has no header.
      if (['string', 'number', 'boolean'].includes(typeof value)) {
        values[header] = headerValue(String(value), base64);
      }
    }
    return values;
  };
};
