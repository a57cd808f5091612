const CONFIRMED = /^(\[[0-9a-f:]+\]|[\w.-]+)(:\d{1,5})?$/;

/**
 * @param {string} text hosts, each with or without a port, separated by commas
 * @returns {string[] | undefined}
 */
export function hostList(text) {
  const hosts = text === '' ? [] : text.split(',').map((host) => host.trim().toLowerCase());
  return hosts.every((host) => CONFIRMED.test(host)) ? hosts : undefined;
}
