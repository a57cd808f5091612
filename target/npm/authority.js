import { z } from 'zod';
import { ToolError } from '../tool-error.js';

/** Time limit of an order, ms: the slowest answers of the authority take several seconds. */
const TIMEOUT = 30_000;

const Issued = z.object({ expires_on: z.iso.datetime() });

/** Client of the certificate authority. Its refusals are passed on: the MCP client decides whether to wait. */
export class Authority {
  #url;
  #metrics;

  /**
   * @param {import('../config.js').Config} config
   * @param {import('../metrics.js').Metrics} metrics
   */
  constructor(config, metrics) {
    this.#url = `${config.upstreamUrl}/certificates`;
    this.#metrics = metrics;
  }

  /**
   * @param {string[]} domains
   * @param {'issue' | 'renew'} order
   * @returns {Promise<string>} when the certificate expires, ISO 8601
   * @throws {ToolError}
   */
  async certify(domains, order) {
    const end = this.#metrics.authorityRequestDuration.startTimer({ order });
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ domains, order }),
        signal: AbortSignal.timeout(TIMEOUT),
      });
      if (response.status === 429) {
        this.#metrics.authorityRefusals.inc();
        await response.body?.cancel();
        throw new ToolError(
          `certificate authority: too many certificates for this domain, retry after ${response.headers.get('retry-after')} s`,
        );
      }
      if (!response.ok) throw new ToolError(`certificate authority: HTTP ${response.status}`);
      return Issued.parse(await response.json()).expires_on;
    } catch (error) {
      throw error instanceof ToolError ? error : new ToolError(`certificate authority: ${reasonOf(error)}`);
    } finally {
      end();
    }
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  if (error instanceof z.ZodError) return 'an invalid answer';
  const { name, cause } = /** @type {Error & {cause?: {code?: string}}} */ (error);
  return name === 'TimeoutError' ? `no answer within ${TIMEOUT} ms` : (cause?.code ?? 'no answer');
}
