import { VARIABLES } from '../../target/config.js';

/**
 * How the reference target was set up, for a reader who wants to have the same again.
 *
 * @param given settings that are not at their defaults, as stack.env has them: `WORKERS=4 CACHE_TTL=60`
 * @returns every setting by name
 */
export function targetSettings(given: string): Record<string, string> {
  const set = Object.fromEntries(given.split(' ').map((setting) => setting.split('=')));
  const settings = Object.entries(VARIABLES).filter(([, variable]) => 'about' in variable);
  return Object.fromEntries(settings.map(([name, { fallback = '' }]) => [name, set[name] ?? fallback]));
}

/** @param settings of the reference target, by name @returns those that are not at their defaults */
export function changedSettings(settings: Record<string, string>): Record<string, string> {
  const defaults = targetSettings('');
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => value !== defaults[name]));
}
