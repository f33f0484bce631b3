-- Creates the login roles in an empty database (`createdb compliance`). Run it again when a release adds a role; then
-- `manage.py migrate` grants each role its privileges. Run it as a superuser with psql; a role without a password here is
-- left unchanged. No role is a superuser or may bypass row-level security: `owner` migrates and backs up; web, worker and
-- signer connect as their own roles; `app` is for commands that an operator runs, and for one-machine installations.
--   OWNER_PASSWORD=... APP_PASSWORD=... WEB_PASSWORD=... WORKER_PASSWORD=... SIGNER_PASSWORD=... \
--     psql --dbname=compliance --file=deploy/roles.sql
\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv app_password APP_PASSWORD
\set web_password ''
\set worker_password ''
\set signer_password ''
\getenv web_password WEB_PASSWORD
\getenv worker_password WORKER_PASSWORD
\getenv signer_password SIGNER_PASSWORD
CREATE TEMPORARY TABLE wanted (role text, password text);
INSERT INTO wanted VALUES ('owner', :'owner_password'), ('app', :'app_password'), ('app_web', :'web_password'),
  ('app_worker', :'worker_password'), ('app_signer', :'signer_password');
DELETE FROM wanted WHERE password = '';
SELECT format('CREATE ROLE %I', role) FROM wanted
WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role) \gexec
SELECT format('ALTER ROLE %I LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION PASSWORD %L', role,
  password) FROM wanted \gexec
SELECT format('ALTER DATABASE %I OWNER TO owner', current_database()) \gexec
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()) \gexec
ALTER SCHEMA public OWNER TO owner;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
DELETE FROM wanted WHERE role = 'owner';
SELECT format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), role) FROM wanted \gexec
SELECT format('GRANT USAGE ON SCHEMA public TO %I', role) FROM wanted \gexec
SELECT format('ALTER ROLE %I SET idle_in_transaction_session_timeout = %L', role, '10min') FROM wanted \gexec
