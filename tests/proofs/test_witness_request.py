"""Requests to a witness have the form of the specification, and are parsed back to what was written."""

from hypothesis import given
from hypothesis import strategies as some

from compliance.proofs.witness_request import MOST_PROOF_LINES, CheckpointRequest, parse_checkpoint_request

EXAMPLE = """old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOA\
YQ8=
"""
"""From https://c2sp.org/tlog-witness, with the first of its signatures."""


def test_the_example_of_the_specification_reads_and_is_written_again() -> None:
    request = parse_checkpoint_request(EXAMPLE.encode())
    assert (request.old, len(request.proof)) == (20852014, 4)
    assert request.note.startswith("example.com/behind-the-sofa\n20852163\n")
    assert request.body() == EXAMPLE.encode()


@given(
    old=some.integers(0, 2**63 - 1),
    proof=some.lists(some.binary(min_size=32, max_size=32), max_size=MOST_PROOF_LINES),
    note=some.text(some.characters(codec="utf-8")),
)
def test_every_request_reads_back_as_it_was_written(old: int, proof: list[bytes], note: str) -> None:
    request = CheckpointRequest(old, tuple(proof), note)
    assert parse_checkpoint_request(request.body()) == request
