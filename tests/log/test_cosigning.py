"""The newest checkpoint is published with the cosignatures of its witnesses; what is missing is known."""

from datetime import timedelta

import pytest

from compliance.log import keys, queries, signing
from compliance.log.cosigning import cosign_newest
from compliance.log.models import Checkpoint, Witness
from compliance.log.witnesses import configured
from compliance.proofs.cosignature import cosigned_times, witness_key
from tests.companies import NOW, make_company
from tests.log.deployment import grow
from tests.log.odd_witness import answering, saying
from tests.proofs.running_witness import RunningWitness

pytestmark = pytest.mark.django_db


@pytest.fixture
def company():
    return make_company()


def sign(company, *names, now=NOW) -> int:
    """Sign a checkpoint over a capture for each person who joins; return its size."""
    grow(company, *names)
    signing.sign_new(now)
    return queries.size()


def counted() -> dict[tuple[str, str], int]:
    """How often witnesses were asked, by name and outcome."""
    return {(name, outcome): times for name, outcome, times in queries.witness_answers() if times}


@pytest.fixture
def witness(tmp_path):
    with RunningWitness(tmp_path / "witness", *keys.verifier_keys()) as running:
        yield running


@pytest.fixture
def witnesses(settings, witness):
    settings.LOG_WITNESSES, settings.LOG_QUORUM = [f"{witness.key} {witness.url}"], 1
    found = configured()
    yield found
    found.close()


def test_checkpoints_are_published_with_their_cosignatures(company, witnesses, witness) -> None:
    assert cosign_newest(witnesses, NOW) == 0
    for names in (["Anna"], ["Boris", "Chloe"], ["Dora"]):
        size = sign(company, *names)
        note = queries.newest_checkpoint().note
        assert cosign_newest(witnesses, NOW) == 1
        published = queries.newest_checkpoint()
        assert published.note.startswith(note)
        assert list(cosigned_times(published.note, witness.key))
        assert cosign_newest(witnesses, NOW) == 0
    assert Witness.objects.values_list("key", "size", "cosigned_at", "answers").get() == (
        witness.key, size, NOW, {"cosigned": 3},
    )  # fmt: skip
    assert counted() == {("witness.example/w1", "cosigned"): 3}


def test_a_signer_that_starts_anew_goes_on(company, witnesses) -> None:
    sign(company, "Anna")
    cosign_newest(witnesses, NOW)
    sign(company, "Boris", "Chloe")
    restarted = configured()
    assert cosign_newest(restarted, NOW) == 1
    restarted.close()


@pytest.mark.parametrize("many", [1, 200])
def test_what_somebody_adds_to_the_published_checkpoint_is_taken_out_with_the_next_cosignature(
    company, witnesses, witness, many
) -> None:
    sign(company, "Anna")
    cosign_newest(witnesses, NOW)
    published = queries.newest_checkpoint()
    line = published.note.splitlines(keepends=True)[-1]
    Checkpoint.objects.update(note=published.note + f"{line[:-20]}AAAA{line[-16:]}" * many)
    assert cosign_newest(witnesses, NOW) == 1
    assert queries.newest_checkpoint().note.splitlines()[:5] == published.note.splitlines()[:5]
    assert list(cosigned_times(queries.newest_checkpoint().note, witness.key))
    assert cosign_newest(witnesses, NOW) == 0


def test_nobody_is_asked_to_cosign_what_the_folder_does_not_state(company, witnesses) -> None:
    sign(company, "Anna")
    Checkpoint.objects.update(size=queries.size() + 1)
    assert cosign_newest(witnesses, NOW) == 0
    assert not Witness.objects.exists()


def test_what_witnesses_answer_is_counted_and_takes_nothing_from_the_others(company, settings, witness) -> None:
    odd = witness_key("odd.example/w", bytes(32)).line()
    with answering(saying(422)) as (url, _):
        settings.LOG_WITNESSES = [f"{odd} {url}", f"{witness.key} {witness.url}"]
        settings.LOG_QUORUM = 2
        found = configured()
        sign(company, "Anna")
        assert cosign_newest(found, NOW) == 1
        assert cosign_newest(found, NOW + timedelta(days=1)) == 0
        found.close()
    assert counted() == {("odd.example/w", "inconsistent"): 2, ("witness.example/w1", "cosigned"): 1}
    assert ("odd.example/w", "cosigned", 0) in queries.witness_answers()
    assert len(cosigned_times(queries.newest_checkpoint().note, odd, witness.key)) == 1


def test_the_number_of_statements_does_not_grow_with_the_witnesses(
    company, settings, django_assert_num_queries
) -> None:
    sign(company, "Anna")
    with answering(saying(500)) as (url, _):
        for number in (1, 5):
            lines = [witness_key(f"w{each}.example", bytes([each]) * 32).line() for each in range(number)]
            settings.LOG_WITNESSES = [f"{line} {url}" for line in lines]
            found = configured()
            with django_assert_num_queries(4):  # the checkpoint, the tiles of a proof, the rows read and written
                cosign_newest(found, NOW)
            found.close()


def test_a_quorum_is_missing_since_the_first_checkpoint_that_lacks_it(company, settings) -> None:
    lines = [witness_key(f"w{each}.example", bytes([each]) * 32).line() for each in range(3)]
    settings.LOG_WITNESSES, settings.LOG_QUORUM = [f"{key} http://127.0.0.1:9" for key in lines], 2
    assert queries.quorum_missing_since() is None
    first, second, third = (sign(company, f"Person {each}", now=NOW + timedelta(hours=each)) for each in range(3))
    assert queries.quorum_missing_since() == NOW
    Witness.objects.create(key=lines[0], size=third, answers={})
    Witness.objects.create(key=lines[1], answers={"slow": 1})
    Witness.objects.create(key=witness_key("gone.example", bytes(32)).line(), size=third, answers={})
    assert queries.quorum_missing_since() == NOW
    Witness.objects.create(key=lines[2], size=first, answers={})
    assert queries.quorum_missing_since() == NOW + timedelta(hours=1)
    Witness.objects.filter(key=lines[1]).update(size=second)
    assert queries.quorum_missing_since() == NOW + timedelta(hours=2)
    settings.LOG_QUORUM = 3
    assert queries.quorum_missing_since() == NOW + timedelta(hours=1)
    Witness.objects.filter(key__in=lines).update(size=third)
    assert queries.quorum_missing_since() is None


def test_without_witnesses_nothing_is_missing(company, settings) -> None:
    settings.LOG_WITNESSES = []
    sign(company, "Anna")
    assert queries.quorum_missing_since() is None
    assert queries.witness_answers() == []
