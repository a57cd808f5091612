/** @param {string} url @returns {boolean} whether it is on this machine */
export const isLocal = (url) => /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(?=[:/]|$)/i.test(url);
