/** Certificates for a test, made by openssl: an authority, a server's for 127.0.0.1, a client's. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} folder
 * @returns {{ca: string, serverCert: string, serverKey: string, clientCert: string, clientKey: string,
 *   encryptedKey: string, password: string, otherCa: string}} paths, and the password of the encrypted key
 */
export function makeCertificates(folder) {
  /** @param {string[]} args */
  const openssl = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const path = (/** @type {string} */ name) => join(folder, name);
  const newKey = ['-newkey', 'rsa:2048', '-noenc', '-days', '2'];
  for (const name of ['ca', 'other-ca']) {
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-subj',
      `/CN=${name}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
    );
  }
  writeFileSync(path('server.ext'), 'subjectAltName=IP:127.0.0.1\n');
  writeFileSync(path('client.ext'), 'extendedKeyUsage=clientAuth\n');
  for (const name of ['server', 'client']) {
    openssl(
      'req',
      ...newKey.slice(0, 3),
      '-subj',
      `/CN=${name}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
    );
    const by = [
      '-CA',
      'ca.crt',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-days',
      '2',
      '-extfile',
      `${name}.ext`,
    ];
    openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-out', `${name}.crt`);
  }
  const password = 'open-the-client-key';
  const encrypt = ['-aes128', '-traditional', '-passout', `pass:${password}`];
  openssl('rsa', '-in', 'client.key', ...encrypt, '-out', 'client-encrypted.key');
  return {
    ca: path('ca.crt'),
    otherCa: path('other-ca.crt'),
    serverCert: path('server.crt'),
    serverKey: path('server.key'),
    clientCert: path('client.crt'),
    clientKey: path('client.key'),
    encryptedKey: path('client-encrypted.key'),
    password,
  };
}
