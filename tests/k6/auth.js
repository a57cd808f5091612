/** Ways in, against real servers: one user signs in, hands over, takes over, renews and is refused. */
import { check, fail } from 'k6';
import http from 'k6/http';
import { signIn } from '../../lib/auth/auth.js';
import { withSecrets } from '../../lib/auth/secret-source.js';
import { clientCertificates, tlsHint } from '../../lib/auth/tls.js';
import { takeOver } from '../../lib/auth/user-auth.js';
import { readConfig } from '../../lib/config.js';

const { WANT_HINT, WANT_PROBLEM, RENEW } = __ENV;
const tlsAuth = clientCertificates(readConfig(__ENV), open);

export const options = {
  iterations: 1,
  thresholds: { checks: ['rate==1.0'] },
  ...(tlsAuth && { tlsAuth }),
};

/** @param {Record<string, string>} headers */
function call(headers) {
  return http.post(__ENV.TARGET_URL ?? '', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}', {
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    responseType: 'text',
  });
}

export default async function () {
  const config = readConfig(await withSecrets(__ENV));
  if (WANT_PROBLEM) {
    let problem = '';
    try {
      await signIn(config);
    } catch (error) {
      problem = String(error);
    }
    check(problem, { [`refused: ${WANT_PROBLEM}`]: () => new RegExp(WANT_PROBLEM).test(problem) }) ||
      fail(problem);
    return;
  }

  const { auth, handOver } = await signIn(config);
  const first = call(auth.headers);
  if (WANT_HINT) {
    const hint = tlsHint(first.error) ?? '';
    check(hint, {
      [`no connection, and the hint is ${WANT_HINT}`]: () => first.status === 0 && hint.includes(WANT_HINT),
    }) || fail(`${first.status} ${first.error}: ${hint}`);
    return;
  }
  check(first, { 'set-up is let in': ({ status }) => status === 200 }) ||
    fail(`${first.status} ${first.body}`);

  const data = JSON.parse(JSON.stringify({ handOver }));
  const user = await takeOver(data.handOver);
  check(user, {
    'a user sends what set-up sent': () => JSON.stringify(user.headers) === JSON.stringify(auth.headers),
    'the data of set-up hold none of it': () =>
      Object.values(auth.headers).every(
        (value) => !JSON.stringify(data).includes(value.replace('Bearer ', '')),
      ),
    'a failure is told without it': () =>
      Object.values(auth.headers).every(
        (value) => !user.redact(`no ${value} here`).includes(value.replace('Bearer ', '')),
      ),
  });

  if (RENEW) {
    const lifeMs = Number(RENEW);
    check(user, {
      'the next token is due before this one ends': ({ dueMs }) =>
        dueMs > Date.now() && dueMs < Date.now() + lifeMs,
    });
    const old = user.headers;
    await user.renew();
    check(call(user.headers), {
      'the next token is another one': () => user.headers.Authorization !== old.Authorization,
      'it is let in': ({ status }) => status === 200,
    });
    user.refused();
    check(user, { 'a new token that is refused is not renewed at once': ({ dueMs }) => dueMs > Date.now() });
  } else {
    check(user, { 'nothing is ever due': ({ dueMs }) => dueMs === Number.POSITIVE_INFINITY });
  }
}
