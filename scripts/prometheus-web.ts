#!/usr/bin/env node
/**
 * Prints the web configuration of Prometheus and its exporters: who may ask them. They get it by --web.config.file.
 *
 *   PROMETHEUS_PASSWORD=... node scripts/prometheus-web.ts
 */
import { hashSync } from 'bcryptjs';

/** The user's name wherever this password is asked for. */
const USER = 'lab';
const ROUNDS = 10;
/** bcrypt ignores whatever is beyond. */
const MAX_BYTES = 72;

const { PROMETHEUS_PASSWORD: password = '' } = process.env;
if (password === '' || Buffer.byteLength(password) > MAX_BYTES) {
  process.stderr.write(`error: PROMETHEUS_PASSWORD is empty or too long; valid: 1 to ${MAX_BYTES} bytes\n`);
  process.exitCode = 2;
} else {
  process.stdout.write(
    `# Written by scripts/prometheus-web.ts: a bcrypt hash.\nbasic_auth_users:\n  ${USER}: ${JSON.stringify(hashSync(password, ROUNDS))}\n`,
  );
}
