/** Imported by k6 and by Node. */

/** @param {string} url an address that refuses connections @returns {string} what to check */
export const unreachable = (url) =>
  /^https?:\/\/host\.docker\.internal[:/]/i.test(url)
    ? "a container cannot reach a server that listens only on the host's 127.0.0.1: let it listen on all addresses, or load " +
      'http://127.0.0.1:PORT on Linux, where k6 then shares the host network'
    : 'is the server running, and is TARGET_URL right?';
