"""What the commands of an operator have in common."""

import json
import uuid
from typing import Any, ClassVar

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from compliance.errors import ComplianceError
from compliance.tenancy import checks, lost, shards, sql


class OperatorCommand(BaseCommand):
    """A command whose errors become one sentence on standard error; the exit code of a room's refusal is `refused`.

    A node of a cluster that does not answer ends it likewise, and so does Ctrl-C, with the shell's exit code.
    """

    interrupted: ClassVar[str] = "Interrupted."
    """The sentence when Ctrl-C ends the command: the state that is left, and what to do."""

    refused: ClassVar[int] = 1
    """The exit code of a refusal."""

    def execute(self, *arguments: Any, **options: Any) -> str | None:
        """Runs the command as Django does. Raises CommandError."""
        try:
            if self.needs_database(options):
                _refuse_unknown_cluster()
            return super().execute(*arguments, **options)
        except ComplianceError as error:
            raise CommandError(str(error), returncode=self.refused) from error
        except lost.ERRORS as error:
            if not settings.CLUSTER or not lost.is_lost(error):
                raise
            raise CommandError(_who_is_away(error), returncode=self.refused) from error
        except KeyboardInterrupt as error:
            raise CommandError(self.interrupted, returncode=130) from error

    def needs_database(self, options: dict[str, Any]) -> bool:
        """Whether the command asks the database; one that does not also runs before there is any."""
        return True

    def show(self, found: object, text: str, *, as_json: bool) -> None:
        """Prints what the command found, as JSON or as text."""
        self.stdout.write(json.dumps(found, default=str) if as_json else text)


def away_node(error: Exception, organization_id: uuid.UUID) -> str:
    """The node of the company, if the error means that it does not answer. Otherwise raises the error again.

    For commands that go on with the companies of other nodes.
    """
    if not settings.CLUSTER or not lost.is_lost(error):
        raise error
    lost.let_go(error)
    try:
        number = shards.of_company(organization_id).node
        return next(each.name for each in shards.nodes() if each.number == number)
    except lost.ERRORS:
        raise error from None


def _refuse_unknown_cluster() -> None:
    """Refuses as processes do at their start. The comparison takes a while, so it runs only where Citus is present."""
    if not settings.CLUSTER and sql.fetch("SELECT 1 FROM pg_extension WHERE extname = 'citus'"):
        checks.refuse_unprotected_tables()


def _who_is_away(error: Exception) -> str:
    """Names the nodes that do not answer. Raises the error again when the coordinator is the one."""
    lost.let_go(error)
    try:
        away = [each.node for each in shards.states() if not each.answers]
    except lost.ERRORS:
        raise error from None
    if not away:
        return "A server of the cluster was away for a moment. Run the command again."
    names = f"node {away[0]} does" if len(away) == 1 else f"nodes {', '.join(away)} do"
    return f"The {names} not answer, and the command needs what is there. Run it again afterwards."
