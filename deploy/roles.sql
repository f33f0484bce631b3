-- Provisioning of the two login roles in an empty database (`createdb compliance`); run once, as a superuser, with psql.
-- Neither role is a superuser or may bypass row-level security: `owner` migrates and backs up, as `app` everything runs.
--   OWNER_PASSWORD=... APP_PASSWORD=... psql --dbname=compliance --file=deploy/roles.sql
\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv app_password APP_PASSWORD
SELECT format('CREATE ROLE %I LOGIN', role) FROM (VALUES ('owner'), ('app')) wanted (role)
WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role) \gexec
ALTER ROLE owner NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB PASSWORD :'owner_password';
ALTER ROLE app NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB PASSWORD :'app_password';
SELECT format('ALTER DATABASE %I OWNER TO owner', current_database()) \gexec
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SELECT format('GRANT CONNECT ON DATABASE %I TO app', current_database()) \gexec
ALTER SCHEMA public OWNER TO owner;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO app;
ALTER ROLE app SET idle_in_transaction_session_timeout = '10min';
