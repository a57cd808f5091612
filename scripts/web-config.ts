#!/usr/bin/env node
/**
 * Prints the web configuration of Prometheus or of its exporters: who may ask them. They get it by --web.config.file.
 *
 *   PASSWORD=... node scripts/web-config.ts
 */
import { hashSync } from 'bcryptjs';

/** The user's name wherever this password is asked for. */
const USER = 'lab';
const ROUNDS = 10;
/** bcrypt ignores whatever is beyond. */
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
