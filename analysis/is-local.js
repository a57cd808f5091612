/** @param {string} url @returns {boolean} whether it is on this machine */
export const isLocal = (url) => /^https?:\/\/(localhost|127\.|\[::1\])/.test(url);
