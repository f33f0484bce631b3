"""The published log. Its tables are directory tables: one log for all companies, read without a company context.

The signer publishes here what it has signed and stored outside of the database; all other processes only read.
"""

from django.db import models


class Leaf(models.Model):
    """One entry of the log: a capture's `chain_hash`, or the digest by which an operator accepted a history.

    A company's captures are in the order of `capture_sequence`. An acceptance at capture N ends the company's earlier
    leaves of captures after N; the leaves that follow it replace them.
    """

    append_only = True

    class Kind(models.TextChoices):
        """What an entry is about."""

        CAPTURE = "capture", "capture"
        ACCEPTANCE = "acceptance", "acceptance of a history"

    index = models.BigIntegerField(primary_key=True)
    kind = models.CharField(max_length=10, choices=Kind)
    organization_id = models.UUIDField()
    capture_sequence = models.BigIntegerField()
    entry = models.BinaryField(max_length=32)
    statement = models.TextField(blank=True, default="", help_text="The text `svc.accepted/2` of an acceptance.")

    class Meta:
        indexes = [
            models.Index(fields=["organization_id", "index"], name="leaf_newest"),
            models.Index(fields=["organization_id", "capture_sequence"], name="leaf_by_capture"),
            models.Index(
                fields=["organization_id", "index"], name="leaf_acceptance", condition=models.Q(kind="acceptance")
            ),
        ]


class Tile(models.Model):
    """Up to 256 consecutive hashes of one level of the tree, concatenated; the last tile of a level grows."""

    pk = models.CompositePrimaryKey("level", "index")
    level = models.SmallIntegerField()
    index = models.BigIntegerField()
    hashes = models.BinaryField()


class Checkpoint(models.Model):
    """A signed checkpoint of the log; those of the last day and the newest two are kept."""

    size = models.BigIntegerField(primary_key=True)
    root = models.BinaryField(max_length=32)
    note = models.TextField(help_text="The signed note, with the cosignatures of witnesses that were verified.")
    signed_at = models.DateTimeField()


class Witness(models.Model):
    """A witness's answers to the signer: the largest checkpoint that it cosigned, and counts by outcome."""

    class Outcome(models.TextChoices):
        """The result of asking a witness."""

        COSIGNED = "cosigned", "It cosigned the checkpoint."
        UNREACHABLE = "unreachable", "There was no answer."
        SLOW = "slow", "There was no answer in time."
        REFUSED = "refused", "It does not watch this log, knows another key of it, or has an error."
        NONSENSE = "nonsense", "It answered what the protocol does not have, or a cosignature that does not verify."
        AHEAD = "ahead", "It cosigned a larger checkpoint than the one that it was asked for."
        INCONSISTENT = (
            "inconsistent",
            "It finds that the log does not continue what it cosigned: one of them is at fault.",
        )

    key = models.TextField(primary_key=True, help_text="The verifier key.")
    size = models.BigIntegerField(null=True, help_text="Entries of the largest checkpoint that it cosigned.")
    cosigned_at = models.DateTimeField(null=True)
    answers = models.JSONField(default=dict, help_text="How often it was asked with which outcome.")
