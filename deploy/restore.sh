#!/bin/sh
# Restores a backup: restore.sh FOLDER. Stop web, worker, signer, beat and metrics first: nothing else may be connected.
# Everything in the database is replaced, tables of a later release too, in one transaction: a failure changes nothing.
# On a cluster, it fills a new database and refuses one with tables, because their rows are on other nodes.
# Only the database is restored. ERASURE_LIST and LOG_FOLDER stay as they are, because they contain what has happened
# since the backup; copy them from it only if the originals are lost. Afterwards: docs/operations.md, `Restore`.
set -eu
. "$(dirname "$0")/owner_connection.sh"
folder=$1
ask() { psql --dbname="$DATABASE_OWNER_URL" --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 "$@"; }
( cd "$folder" && sha256sum --check --quiet SHA256SUMS )
# Not part of the pipe below: a pipe hides the failure of its first command, and an empty list would restore nothing.
list=$(pg_restore --list "$folder/database.dump")
kind=$(ask --command="
  SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN 'plain'
    WHEN EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND NOT EXISTS (
      SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'))
    THEN 'cluster with tables' ELSE 'new cluster' END")
case $kind in
  plain) before="DROP SCHEMA public CASCADE; CREATE SCHEMA public;" ;;
  # Citus has views in the schema public, which would be dropped with it. What is made here stays at the coordinator
  # until `migrate` distributes it.
  "new cluster") before="SET citus.enable_ddl_propagation = off;" ;;
  *)
    echo "Not restored, nothing was changed: this database of a cluster holds tables. Name a new one, as docs/operations.md says in \`Restore of a cluster\`." >&2
    exit 1
    ;;
esac
{
  echo "SET client_min_messages = warning; BEGIN; $before"
  # Without the extension Citus, which only a superuser may create and a plain server does not have.
  printf '%s\n' "$list" | sed '/ EXTENSION - citus/d; / EXTENSION citus/d' \
    | pg_restore --no-owner --exit-on-error --use-list=/dev/stdin --file=- "$folder/database.dump" \
    && echo "COMMIT; SELECT 'committed';"
} | ask | tail -n 1 | grep -qx committed || {
  echo "Not restored; the database is as it was." >&2
  exit 1
}
echo "Restored. Now: manage.py migrate; manage.py verify_history --checkpoints [--accept]; manage.py replay_erasures; manage.py end_access"
