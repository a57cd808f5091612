/** What a server may be spoken to in: the protocol's released versions, and what is no MCP. */

/** The stateless era's version. */
export const MODERN_VERSION = '2026-07-28';
/** Versions with initialize, newest first; a server answers with the one that it wants to speak. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const ERAS = ['auto', 'modern', 'legacy'];
/** Plain JSON-RPC by POST without a handshake, and tools by REST. */
const OTHERS = ['jsonrpc', 'rest'];
export const PROTOCOLS = [...ERAS, MODERN_VERSION, ...LEGACY_VERSIONS, ...OTHERS];

/**
 * @param {string} protocol of PROTOCOLS; '' = as the workload says
 * @returns {{dialect: '' | 'mcp' | 'jsonrpc' | 'rest', era: 'auto' | 'modern' | 'legacy', version: string}} version: the only one to
 *   speak; '' = the newest that both sides know
 */
export function readProtocol(protocol) {
  const dialect = OTHERS.includes(protocol) ? protocol : protocol && 'mcp';
  const version = protocol === MODERN_VERSION || LEGACY_VERSIONS.includes(protocol) ? protocol : '';
  const ofVersion = version === MODERN_VERSION ? 'modern' : 'legacy';
  const era = version ? ofVersion : ERAS.includes(protocol) ? protocol : 'auto';
  return /** @type {any} */ ({ dialect, era, version });
}
