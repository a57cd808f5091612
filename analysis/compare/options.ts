/** Reads the options of a comparison from environment variables. */
import { CompareError } from './compare-error.ts';
import type { Options } from './comparison.ts';
import { METRICS } from './metrics.ts';

/**
 * @throws {CompareError} if a value is invalid; the message contains the variable, its value and the valid
 *   values
 */
export function optionsOf(env: NodeJS.ProcessEnv): Options {
  return {
    metrics: env.METRICS ? listed('METRICS', env.METRICS).map((name) => metric('METRICS', name)) : null,
    least: Object.fromEntries(
      listed('MIN_EFFECT', env.MIN_EFFECT).map((item) => {
        const [name = '', share = ''] = item.split('=');
        if (!(Number(share) > 0)) {
          throw new CompareError(
            `MIN_EFFECT has "${item.slice(0, 80)}"; valid: a metric and a number above 0, as in p99=0.05,throughput=0.01`,
          );
        }
        return [metric('MIN_EFFECT', name), Number(share)];
      }),
    ),
    operations: flag('OPERATIONS', env),
    includeFailed: flag('INCLUDE_FAILED', env),
    allowSingle: flag('ALLOW_SINGLE_RUN', env),
  };
}

function listed(variable: string, text: string | undefined = ''): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (text !== '' && items.includes('')) {
    throw new CompareError(`${variable} is "${text.slice(0, 80)}"; valid: items separated by single commas`);
  }
  return items.filter((item) => item !== '');
}

/** @returns the name, if it is a metric */
export function metric(variable: string, name: string): string {
  if (METRICS.some((known) => known.name === name)) return name;
  const names = METRICS.map((known) => known.name).join(', ');
  throw new CompareError(`${variable} has "${name.slice(0, 80)}"; valid: ${names}`);
}

export function flag(variable: string, env: NodeJS.ProcessEnv) {
  const text = env[variable] || '0';
  if (text === '0' || text === '1') return text === '1';
  throw new CompareError(`${variable} is "${text.slice(0, 80)}"; valid: 0, 1`);
}
