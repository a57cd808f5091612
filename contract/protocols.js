/** Supported protocols: the released versions of MCP, and protocols other than MCP. */

/** The version of the stateless era. */
export const MODERN_VERSION = '2026-07-28';
/** Versions with initialize, newest first. A server answers with the version that it selects. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const ERAS = ['auto', 'modern', 'legacy'];
/** Plain JSON-RPC over POST without a handshake, and tools over REST. */
const OTHERS = ['jsonrpc', 'rest'];
export const PROTOCOLS = [...ERAS, MODERN_VERSION, ...LEGACY_VERSIONS, ...OTHERS];

/**
 * @param {string} protocol an item of PROTOCOLS; '' = the workload's protocol
 * @returns {{dialect: '' | 'mcp' | 'jsonrpc' | 'rest', era: 'auto' | 'modern' | 'legacy', version: string}}
 *   version: the only version to use; '' = the newest that both sides support
 */
export function readProtocol(protocol) {
  const dialect = OTHERS.includes(protocol) ? protocol : protocol && 'mcp';
  const version = protocol === MODERN_VERSION || LEGACY_VERSIONS.includes(protocol) ? protocol : '';
  const ofVersion = version === MODERN_VERSION ? 'modern' : 'legacy';
  const era = version ? ofVersion : ERAS.includes(protocol) ? protocol : 'auto';
  return /** @type {any} */ ({ dialect, era, version });
}
