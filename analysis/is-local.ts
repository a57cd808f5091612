/** Names of the stack's own target and of its host in a container (docker-compose.yml). */
const STACK_HOSTS = (process.env.STACK_HOSTS ?? '').split(',').filter(Boolean);

/** @returns whether the URL refers to this machine */
export const isLocal = (url: string): boolean =>
  /^(https?|stdio):\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(?=[:/]|$)/i.test(url) ||
  STACK_HOSTS.some((host) => new RegExp(`^https?://${host.replaceAll('.', '\\.')}(?=[:/]|$)`, 'i').test(url));
