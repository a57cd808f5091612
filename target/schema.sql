-- Applied on every start under the seeding lock; must be idempotent.

CREATE TABLE IF NOT EXISTS users (
  id         integer PRIMARY KEY,
  name       text NOT NULL,
  email      text NOT NULL UNIQUE,
  city       text NOT NULL,
  region     text NOT NULL,
  plan       text NOT NULL,
  -- Incremented by every write. A late write (write-behind, a racing cache fill) is dropped if a greater version
  -- exists.
  version    integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX IF NOT EXISTS users_name_prefix ON users (lower(name) text_pattern_ops);
CREATE INDEX IF NOT EXISTS users_region ON users (region);

CREATE TABLE IF NOT EXISTS orders (
  id           integer PRIMARY KEY,
  user_id      integer NOT NULL REFERENCES users,
  region       text NOT NULL,
  category     text NOT NULL,
  month        smallint NOT NULL CHECK (month BETWEEN 1 AND 12),
  amount_cents integer NOT NULL
);
CREATE INDEX IF NOT EXISTS orders_region_month ON orders (region, month);

CREATE TABLE IF NOT EXISTS items (
  key        text PRIMARY KEY,
  value      integer NOT NULL,
  revision   integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- Roles for POST /tools/{tool}/call: a role may use tools up to its clearance (1 low, 2 medium, 3 high).
CREATE TABLE IF NOT EXISTS roles (
  name      text PRIMARY KEY,
  clearance smallint NOT NULL CHECK (clearance BETWEEN 1 AND 3)
);
CREATE TABLE IF NOT EXISTS accounts (
  id   text PRIMARY KEY,
  role text NOT NULL REFERENCES roles
);
INSERT INTO roles VALUES ('guest', 1), ('dev', 2), ('admin', 3) ON CONFLICT DO NOTHING;
INSERT INTO accounts VALUES ('guest_user', 'guest'), ('dev_user', 'dev'), ('admin_user', 'admin') ON CONFLICT DO NOTHING;

-- Resources of the proxy manager: proxy hosts, certificates, access lists, streams (target/npm/kinds.js).
CREATE TABLE IF NOT EXISTS npm_resources (
  id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Identifies the creator, such as a test run, so that it can remove exactly its own rows.
  owner          text NOT NULL,
  instance       text NOT NULL,
  kind           text NOT NULL,
  name           text NOT NULL,
  enabled        boolean NOT NULL,
  settings       jsonb NOT NULL,
  certificate_id integer REFERENCES npm_resources ON DELETE SET NULL,
  access_list_id integer REFERENCES npm_resources ON DELETE SET NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner, instance, kind, name)
);
CREATE INDEX IF NOT EXISTS npm_resources_page ON npm_resources (owner, instance, kind, id);
CREATE INDEX IF NOT EXISTS npm_resources_certificate ON npm_resources (certificate_id);
CREATE INDEX IF NOT EXISTS npm_resources_access_list ON npm_resources (access_list_id);
CREATE INDEX IF NOT EXISTS npm_resources_age ON npm_resources (created_at);

-- Locations of a proxy host, or clients of an access list.
CREATE TABLE IF NOT EXISTS npm_parts (
  id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  resource_id integer NOT NULL REFERENCES npm_resources ON DELETE CASCADE,
  settings    jsonb NOT NULL
);
CREATE INDEX IF NOT EXISTS npm_parts_resource ON npm_parts (resource_id);
