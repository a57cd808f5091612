-- Run once on a new cluster, by the administrator: the target's role and database. May run again after it was cut off.
-- The target is no superuser, so that the exporter still gets in when the target has used up every connection.
\getenv password POSTGRES_PASSWORD
CREATE EXTENSION IF NOT EXISTS pg_stat_statements;
SELECT 'CREATE ROLE mcp LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'mcp')
\gexec
ALTER ROLE mcp PASSWORD :'password';
CREATE DATABASE mcp OWNER mcp;
