-- Creates the target's role and database. The administrator runs it on a cluster without the comment below. It can be repeated after an interruption.
-- The target is not a superuser, so that the exporter can still connect when the target uses all connections.
\getenv password TARGET_DATABASE_PASSWORD
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pg_stat_statements;
SELECT 'CREATE ROLE mcp LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'mcp')
\gexec
ALTER ROLE mcp PASSWORD :'password';
SELECT 'CREATE DATABASE mcp OWNER mcp' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'mcp')
\gexec
-- In a cluster of an older version, the role has the superuser's password and no comment.
COMMENT ON ROLE mcp IS 'has its own password';
