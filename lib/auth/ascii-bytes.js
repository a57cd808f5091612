/** @param {string} text ASCII (k6 has no TextEncoder, and its `Uint8Array.from` takes no text) */
export const asciiBytes = (text) => Uint8Array.from([...text], (char) => char.charCodeAt(0));
