import { VARIABLES } from '../../target/config.js';

/**
 * @param changed settings that differ from their defaults, in the format of stack.env: `WORKERS=4
 *   CACHE_TTL=60`
 * @returns all settings of the reference target by name, so that a reader can reproduce it
 */
export function targetSettings(changed: string): Record<string, string> {
  const set = Object.fromEntries(changed.split(' ').map((setting) => setting.split('=')));
  const settings = Object.entries(VARIABLES).filter(([, variable]) => 'about' in variable);
  return Object.fromEntries(settings.map(([name, { fallback = '' }]) => [name, set[name] ?? fallback]));
}

/**
 * @param settings settings of the reference target, by name
 * @returns those that differ from their defaults
 */
export function changedSettings(settings: Record<string, string>): Record<string, string> {
  const defaults = targetSettings('');
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => value !== defaults[name]));
}
