"""What somebody with all rights in the database can do to a company's history: rewrite it and all dependent digests.

The forger is PostgreSQL's superuser, without triggers and row-level security, and uses the product's own hash
functions: whoever controls the database has the code.
"""

import json
import uuid
from collections.abc import Callable

import psycopg
from psycopg.rows import dict_row

from compliance.catalogue import REGISTERS
from compliance.history.text import instant
from compliance.proofs.digests import ZERO_DIGEST
from compliance.proofs.history import row_hasher, tree_capture_digest, tree_capture_lines
from compliance.proofs.merkle import CompactRange, leaf_hash

Change = Callable[[str], str]

ROWS = """
SELECT v.*, r.record_id FROM history_historyrow v
JOIN history_historyrecord r USING (organization_id, register, birth)
WHERE organization_id = %s ORDER BY sequence
"""


class Forger:
    """Rewrites one company's history."""

    def __init__(self, connection: psycopg.Connection, organization_id: uuid.UUID) -> None:
        self.connection, self.organization_id = connection, organization_id
        connection.execute("SET session_replication_role = replica")

    def rewrite_row(self, sequence: int, change: Change) -> None:
        """Change a row's text and digest and, for a person, the column that repeats the text's state."""
        row = next(each for each in self._rows() if each["sequence"] == sequence)
        body = change(row["body"])
        assert body != row["body"], "nothing was changed"
        digest = row_hasher(str(self.organization_id))(
            str(sequence),
            REGISTERS[row["register"]].name,
            str(row["record_id"]),
            instant(row["valid_from"]),
            instant(row["recorded_at"]),
            row["cause"],
            str(row["logic_version"]),
            body.encode(),
        )
        self.connection.execute(
            "UPDATE history_historyrow SET body = %s, row_sha256 = %s, state = coalesce(%s, state)"
            " WHERE organization_id = %s AND sequence = %s",
            [body, bytes.fromhex(digest), json.loads(body).get("access_state"), self.organization_id, sequence],
        )

    def rewrite_captures(self, first: int = 1) -> None:
        """Recompute tree, root and chain of the captures from `first` on, and the head, from the rows as they are."""
        tree, chain_hash = CompactRange(), ZERO_DIGEST
        rows = {row["sequence"]: bytes(row["row_sha256"]) for row in self._rows()}
        for capture in self._all("SELECT * FROM history_capture WHERE organization_id = %s ORDER BY capture_sequence"):
            tree.extend(leaf_hash(rows[number]) for number in range(tree.size + 1, capture["last_sequence"] + 1))
            has_rows = capture["first_sequence"] <= capture["last_sequence"]
            if capture["capture_sequence"] >= first:
                lines = tree_capture_lines(
                    organization_id=self.organization_id,
                    capture_sequence=capture["capture_sequence"],
                    captured_at=capture["captured_at"],
                    first_sequence=capture["first_sequence"] if has_rows else None,
                    last_sequence=capture["last_sequence"] if has_rows else None,
                    tree_size=tree.size,
                    tree_root=tree.root().hex(),
                    ledger_head=bytes(capture["ledger_head"]).hex(),
                    previous_chain_hash=chain_hash,
                )
                self.connection.execute(
                    "UPDATE history_capture SET tree_root = %s, chain_hash = %s"
                    " WHERE organization_id = %s AND capture_sequence = %s",
                    [tree.root(), tree_capture_digest(lines), self.organization_id, capture["capture_sequence"]],
                )
                chain_hash = tree_capture_digest(lines)
            else:
                chain_hash = capture["chain_hash"]
        self.connection.execute(
            "UPDATE history_historyhead SET chain_hash = %s, tree_range = %s WHERE organization_id = %s",
            [chain_hash, tree.to_bytes(), self.organization_id],
        )

    def rewrite_entries(self) -> None:
        """Replace the published log's entries by the captures as they are now."""
        self.connection.execute(
            "UPDATE log_leaf l SET entry = decode(c.chain_hash, 'hex') FROM history_capture c"
            " WHERE l.organization_id = %s AND c.organization_id = l.organization_id"
            " AND c.capture_sequence = l.capture_sequence",
            [self.organization_id],
        )

    def exchange(self, table: str, subject: str, columns: list[str]) -> None:
        """Swap the values of two subjects in these columns of a table."""
        found = self._all(f"SELECT * FROM {table} WHERE organization_id = %s AND person_name <> '' ORDER BY {subject}")
        one, other = found[0], found[-1]
        for to, of in ((one, other), (other, one)):
            self.connection.execute(
                f"UPDATE {table} SET {', '.join(f'{column} = %s' for column in columns)}"
                f" WHERE organization_id = %s AND {subject} = %s",
                [*(of[column] for column in columns), self.organization_id, to[subject]],
            )

    def _rows(self) -> list[dict]:
        return self._all(ROWS)

    def _all(self, statement: str) -> list[dict]:
        return self.connection.cursor(row_factory=dict_row).execute(statement, [self.organization_id]).fetchall()
