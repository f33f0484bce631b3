"""Moves companies between the nodes of a cluster while they are read and written.

A shard is copied by logical replication and handed over when the copy has caught up: writes wait for that moment, reads
are not affected. Companies that share the shard move with it. Nothing here divides a shard, because what Citus has for
dividing one while its rows change hangs, or ends the node's server (ADR 128).

If a move is interrupted, at whatever moment, each company is whole on one node, the old or the new one. Running the
command again completes it.
"""

import time
import uuid
from typing import Final, NamedTuple

from compliance.tenancy import queries, shards
from compliance.tenancy.administration import Administration, Tell
from compliance.tenancy.errors import MoveFailedError, WritesWaitedError
from compliance.tenancy.shards import Node, Shard

TRIES: Final = 3
_PAUSE_SECONDS: Final = 2.0
"""The time between two tries, so that writes that waited get their turn."""


class Moved(NamedTuple):
    """The result of a command: how many shards it moved, how long that took, and the longest wait of a write."""

    shards: int
    seconds: float
    longest_wait: float
    left_over: int
    """Tables of old copies that could not be removed yet, because their node did not answer."""


def move_company(organization_id: uuid.UUID, to: str, tell: Tell) -> Moved:
    """Moves a company, and those that share its shard, to the node `to`; does nothing if it is there already.

    Raises NoSuchCompanyError, NoSuchNodeError, MoveBusyError, MoveFailedError, WritesWaitedError.
    """
    queries.organization(organization_id)
    with Administration() as administration:
        begun = time.monotonic()
        target = _target(administration, to)
        shard = shards.of_company(organization_id, administration.fetch)
        moved = 0
        if shard.node != target.number:
            source = next(each for each in shards.nodes(administration.fetch) if each.number == shard.node)
            answering = shards.answering_nodes([source, target])
            for each in (source, target):
                if not answering[each.number]:
                    raise _away(each)
            tell(f"{_who(shard)} to {target.name}.")
            _move(administration, shard, target, tell)
            moved = 1
        return _done(administration, moved, begun)


def drain_node(name: str, tell: Tell) -> Moved:
    """Moves every company of a node to the other nodes, each shard to the one that holds least.

    The node takes no new companies from then on. Shards go only to nodes that answer. A node that is away is not marked
    as drained: a refused command has changed nothing.

    Raises NoSuchNodeError, MoveBusyError, MoveFailedError, WritesWaitedError.
    """
    with Administration() as administration:
        begun = time.monotonic()
        node = shards.named(name, administration.fetch)
        others = [each for each in shards.nodes(administration.fetch) if each != node and each.takes_companies]
        if not others:
            raise MoveFailedError(f"There is no other node that takes companies: {name} keeps its own.")
        answering = shards.answering_nodes([node, *others])
        if not answering[node.number]:
            raise _away(node)
        well = [each for each in others if answering[each.number]]
        if not well:
            names = ", ".join(each.name for each in others)
            raise MoveFailedError(f"No other node that takes companies answers ({names}): {name} keeps its own.")
        _take_companies(administration, node, takes=False)
        sizes = shards.sizes(administration.fetch)
        everything = shards.shards(administration.fetch)
        room = {each.number: sum(sizes.get(s.number, 0) for s in everything if s.node == each.number) for each in well}
        own = sorted((s for s in everything if s.node == node.number), key=lambda s: -sizes.get(s.number, 0))
        for number, shard in enumerate(own, 1):
            target = min(well, key=lambda each: room[each.number])
            tell(f"{number} of {len(own)}: {_who(shard)} to {target.name}.")
            try:
                _move(administration, shard, target, tell)
            except (MoveFailedError, WritesWaitedError) as error:
                raise type(error)(
                    f"{error} {name} is given no companies since this command began: run it again to move"
                    f" what is left, or `manage.py drain_node {name} --undo` to let it take companies."
                ) from error
            room[target.number] += sizes.get(shard.number, 0)
        return _done(administration, len(own), begun)


def fill_node(name: str) -> None:
    """Lets a node that was drained take companies again. Raises NoSuchNodeError, MoveBusyError, MoveFailedError."""
    with Administration() as administration:
        _take_companies(administration, shards.named(name, administration.fetch), takes=True)


def sentence(done: Moved) -> str:
    """The result of a command as text for the operator."""
    text = (
        f"Moved {done.shards:,} {'shard' if done.shards == 1 else 'shards'} in {done.seconds:,.0f} s;"
        f" a write waited for {done.longest_wait:.1f} s at most."
    )
    if done.left_over:
        text += (
            f" {done.left_over:,} tables of old copies could not be removed yet: a node does not answer. They go by"
            " themselves when it is back."
        )
    return text


def _move(administration: Administration, shard: Shard, target: Node, tell: Tell) -> None:
    """Moves one shard; tries again, TRIES times in all, if the move was ended because writes waited."""
    for tried in range(1, TRIES + 1):
        try:
            with administration.receiving(target):
                administration.run(
                    "SELECT citus_move_shard_placement(%s, %s, %s, 'force_logical')",
                    [shard.number, shard.node, target.number],
                    tell,
                )
        except WritesWaitedError as error:
            administration.tidy()
            if tried == TRIES:
                raise WritesWaitedError(
                    f"{error} {TRIES} tries came to nothing: something writes for long, an import perhaps. Everything"
                    " is as it was; run the command again at another hour."
                ) from error
            tell(f"{error} It is tried again.")
            time.sleep(_PAUSE_SECONDS)
        except MoveFailedError:
            administration.tidy()
            raise
        else:
            break


def _who(shard: Shard) -> str:
    return "1 company" if len(shard.companies) == 1 else f"{len(shard.companies):,} companies"


def _away(node: Node) -> MoveFailedError:
    return MoveFailedError(f"The node {node.name} does not answer. Nothing was moved.")


def _target(administration: Administration, name: str) -> Node:
    found = shards.named(name, administration.fetch)
    if not found.takes_companies:
        raise MoveFailedError(
            f"The node {name} is drained. `manage.py drain_node {name} --undo` lets it take companies."
        )
    return found


def _take_companies(administration: Administration, node: Node, *, takes: bool) -> None:
    administration.fetch(
        "SELECT citus_set_node_property(%s, %s, 'shouldhaveshards', %s)", [node.host, node.port, takes]
    )


def _done(administration: Administration, moved: int, begun: float) -> Moved:
    left_over = administration.tidy()
    return Moved(moved, round(time.monotonic() - begun, 1), round(administration.longest_wait, 2), left_over)
