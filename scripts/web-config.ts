#!/usr/bin/env node
/**
 * Prints the web configuration (--web.config.file) of Prometheus or of its exporters. It contains the user and password
 * for basic auth.
 *
 *   PASSWORD=... node scripts/web-config.ts
 */
import { hashSync } from 'bcryptjs';

const USER = 'lab';
const ROUNDS = 10;
/** bcrypt ignores all bytes beyond this length. */
const MAX_BYTES = 72;

const { PASSWORD: password = '' } = process.env;
if (password === '' || Buffer.byteLength(password) > MAX_BYTES) {
  process.stderr.write(`error: PASSWORD is empty or too long; valid: 1 to ${MAX_BYTES} bytes\n`);
  process.exitCode = 2;
} else {
  process.stdout.write(
    `# Written by scripts/web-config.ts: a bcrypt hash.\nbasic_auth_users:\n  ${USER}: ${JSON.stringify(hashSync(password, ROUNDS))}\n`,
  );
}
