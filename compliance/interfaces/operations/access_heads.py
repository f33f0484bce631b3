"""The ends of the access log's chains, signed and kept in the log's folder, outside of the database.

The text of the note is `svc.access-heads/1`, then a line for each chain: its identifier, the number and the digest of
its last line, separated by spaces; the key's name is `<origin>/access-log`. A signed end gives way only to one that
continues it: of a chain that is shorter, or in which the signed line is another, the signed end is kept, so that
verification finds what is missing or was rewritten.
"""

import logging
import uuid

from compliance.interfaces.console import access_chain
from compliance.log import folder, keys
from compliance.log.errors import LogFolderError
from compliance.proofs.access_log import ChainEnd, heads_text, parse_heads
from compliance.proofs.errors import NoteMalformed

log = logging.getLogger(__name__)

FILE = "access-log"
PURPOSE = "access-log"


def stated() -> dict[uuid.UUID, ChainEnd]:
    """The end of each chain when it was last signed. Raises LogFolderError when none of our keys signed the note."""
    note = folder.read(FILE)
    if note is None:
        return {}
    try:
        return parse_heads(keys.checked(note, PURPOSE).text)
    except NoteMalformed as error:
        raise LogFolderError(f"The file {folder.path() / FILE} is no statement of the access log. {error}") from error


def sign_as_found() -> None:
    """Signs the present ends of the chains, also of those that went back: for use after an accepted restore."""
    folder.write(FILE, keys.signing_key(purpose=PURPOSE).sign(heads_text(access_chain.heads())))


def sign_new() -> bool:
    """Signs the ends of chains that have grown, and still have the line that was signed. Returns whether any has.

    Raises LogFolderError, SigningKeyMissingError.
    """
    before = stated()
    grown = {
        chain: end
        for chain, end in access_chain.heads().items()
        if chain not in before or end.number > before[chain].number
    }
    signed = {chain: before[chain] for chain in grown if chain in before}
    for chain in signed.keys() - access_chain.with_these_lines(signed):
        fault = f"Line {signed[chain].number} of the access log is gone, or is another than the one that was signed."
        log.critical("access_log_broken", extra={"chain": str(chain), "fault": fault})
        del grown[chain]
    if grown:
        folder.write(FILE, keys.signing_key(purpose=PURPOSE).sign(heads_text(before | grown)))
    return bool(grown)
