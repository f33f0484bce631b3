"""`manage.py signer`: what it prints, and when it does not start."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from compliance.log import folder, keys, signing
from tests.companies import NOW, make_company
from tests.log.deployment import captures, grow


@pytest.fixture
def company(committed):
    company = make_company()
    grow(company, "Anna", "Boris")
    signing.sign_new(NOW)
    return company


def output_of(*command: str) -> str:
    out = StringIO()
    call_command(*command, stdout=out, stderr=out)
    return out.getvalue()


def test_it_tells_its_key_line_and_how_much_it_signed(company):
    assert output_of("signer", "--verifier-key").strip() == keys.verifier_keys()[0]
    grow(company, "Chloe")
    assert "1 entries signed." in output_of("signer", "--once")
    assert captures(company) == [1, 2, 3, 4]


def test_without_its_key_or_its_memory_it_does_not_start(company, log_folder, settings):
    (log_folder / folder.MEMORY).unlink()
    with pytest.raises(CommandError, match=r"Refused to start\. The log's folder .* holds nothing of what was signed"):
        output_of("signer", "--once")
    settings.CHECKPOINT_VERIFIER_KEYS = keys.verifier_keys()
    settings.CHECKPOINT_KEYS = []
    with pytest.raises(CommandError, match="does not hold the key"):
        output_of("signer", "--once")
