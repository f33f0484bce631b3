"""The offline verifier's registers are those of the catalogue, with all that it declares."""

import pytest

from compliance.catalogue import READINGS, REGISTERS
from compliance.catalogue.fields import CLOCK, Tenant, Versioned
from compliance.proofs import pack_registers

OFFLINE = {each.file: each for readings in pack_registers.READINGS.values() for each in readings}


def test_every_way_of_reading_a_register_is_verified_in_its_own_file():
    assert set(OFFLINE) == {register.file for register in READINGS}
    assert set(pack_registers.REGISTERS) == {register.name for register in REGISTERS.values()}


@pytest.mark.parametrize("register", READINGS, ids=lambda register: register.file)
def test_a_reading_names_its_register_its_record_and_where_its_fields_come_from(register):
    reading = OFFLINE[register.file]
    fields = register.row.model_fields
    assert (reading.register, reading.identity) == (register.name, register.identity)
    assert reading.tenant == issubclass(register.row, Tenant)
    assert reading.versioned == issubclass(register.row, Versioned)
    assert reading.joined <= set(fields)
    # What the clock decides is recomputed, never taken from the pack.
    assert not {name for name, field in fields.items() if field.json_schema_extra == CLOCK} & reading.joined
