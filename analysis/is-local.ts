/** In a container the stack's own target and its host have names (docker-compose.yml). */
const STACK_HOSTS = (process.env.STACK_HOSTS ?? '').split(',').filter(Boolean);

/** @returns whether it is on this machine */
export const isLocal = (url: string): boolean =>
  /^(https?|stdio):\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(?=[:/]|$)/i.test(url) ||
  STACK_HOSTS.some((host) => new RegExp(`^https?://${host.replaceAll('.', '\\.')}(?=[:/]|$)`, 'i').test(url));
