import { readFile } from 'node:fs/promises';
import { PostgresClient } from './postgres-client.js';

/** Number of users in a new database; their ids start at 1. */
export const USERS = 10_000;

/** Number of orders, spread over the users, twelve months and {@link REGIONS}. */
const ORDERS = 30_000;

/** Regions of the users and of the reports. */
export const REGIONS = [
  'africa',
  'americas',
  'asia',
  'caribbean',
  'europe',
  'gulf',
  'india',
  'nordics',
  'oceania',
  'pacific',
];

/** Subscription plans of users. */
export const PLANS = ['free', 'basic', 'pro', 'enterprise'];

/** Categories of orders. */
export const CATEGORIES = ['books', 'garden', 'music', 'sports', 'tools'];

const CITIES = [
  'Accra',
  'Bergen',
  'Chennai',
  'Denver',
  'Essen',
  'Fukuoka',
  'Graz',
  'Havana',
  'Izmir',
  'Jakarta',
];
const FIRST_NAMES = [
  'Ada',
  'Boris',
  'Chiara',
  'Dmitri',
  'Elena',
  'Farid',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
  'Keiko',
  'Liam',
  'Mona',
  'Nadia',
  'Omar',
  'Petra',
  'Quentin',
  'Rosa',
  'Sven',
  'Tariq',
];
const LAST_NAMES = [
  'Abbott',
  'Bianchi',
  'Costa',
  'Dubois',
  'Eriksen',
  'Fischer',
  'Garcia',
  'Haddad',
  'Ivanov',
  'Jensen',
  'Kowalski',
  'Larsen',
  'Moreau',
  'Novak',
  'Okafor',
  'Petrov',
  'Quinn',
  'Rossi',
  'Schmidt',
  'Tanaka',
];

/** An arbitrary constant. All targets use the same one, so that they wait for each other at the start. */
const SEED_LOCK = 2_026_072_8;

// Computed from the row number instead of random(), so that every database holds the same data.
const SEED_USERS = `
INSERT INTO users (id, name, email, city, region, plan)
SELECT n,
       ($2::text[])[1 + n % 20] || ' ' || ($3::text[])[1 + (n / 20) % 20],
       'user' || n || '@example.com',
       ($4::text[])[1 + n % 10],
       ($5::text[])[1 + n % 10],
       ($6::text[])[1 + (n * 7 / 3) % 4]
  FROM generate_series(1, $1::int) AS n`;

const SEED_ORDERS = `
INSERT INTO orders (id, user_id, region, category, month, amount_cents)
SELECT n,
       u.id,
       u.region,
       ($3::text[])[1 + (n * 11 / 7) % 5],
       1 + (n * 5 / 3) % 12,
       500 + (n::bigint * 7919 % 49500)
  FROM generate_series(1, $1::int) AS n
  JOIN users u ON u.id = 1 + (n::bigint * 6151 % $2::int)`;

/**
 * Creates the schema and the seed data, unless the database already has them. Targets that start at the same time wait
 * for each other.
 * @param {import('pg').ClientConfig} database
 * @returns {Promise<{users: number, seeded: boolean, maxConnections: number}>} the number of users, whether the data is
 * new,
 *   and the connection limit for ordinary users
 */
export async function seed(database) {
  const client = new PostgresClient({ ...database, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [SEED_LOCK]);
    await client.query(await readFile(new URL('schema.sql', import.meta.url), 'utf8'));
    const before = await countUsers(client);
    if (before === 0) {
      await client.query(SEED_USERS, [USERS, FIRST_NAMES, LAST_NAMES, CITIES, REGIONS, PLANS]);
      await client.query(SEED_ORDERS, [ORDERS, USERS, CATEGORIES]);
    }
    await client.query('COMMIT');
    if (before === 0) await client.query('ANALYZE users, orders');
    const { rows } = await client.query(
      "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS n",
    );
    return { users: await countUsers(client), seeded: before === 0, maxConnections: rows[0].n };
  } finally {
    await client.end();
  }
}

/** @param {import('pg').Client} client */
async function countUsers(client) {
  const { rows } = await client.query('SELECT count(*)::int AS n FROM users');
  return rows[0].n;
}
