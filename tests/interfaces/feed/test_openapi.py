"""The description of /feed/v1: valid OpenAPI, made from the registers, compared with the answers."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from compliance.catalogue import REGISTERS
from compliance.catalogue.stored import stored_shape
from compliance.interfaces.api.problems import Code
from compliance.interfaces.feed.openapi import change_of, document
from compliance.interfaces.feed.urls import urlpatterns
from tests.interfaces.console.small_company import SmallCompany
from tests.interfaces.feed.conftest import Callers
from tests.interfaces.feed.reading import page

DOCUMENT = document("https://svc.example")
SCHEMAS = DOCUMENT["components"]["schemas"]


def validator(name: str) -> Draft202012Validator:
    registry: Any = Registry().with_resource("urn:document", Resource.from_contents(DOCUMENT, DRAFT202012))
    return Draft202012Validator({"$ref": f"urn:document#/components/schemas/{name}"}, registry=registry)


def test_it_describes_every_address_and_register() -> None:
    assert {f"/{pattern.pattern}" for pattern in urlpatterns} == set(DOCUMENT["paths"])
    get = DOCUMENT["paths"]["/feed/v1/changes"]["get"]
    assert set(get["responses"]) == {"200", *(str(code.status) for code in Code if code.value.of_v1)}
    assert {parameter["name"] for parameter in get["parameters"]} == {"register", "cursor", "limit"}
    mapping = SCHEMAS["ChangesPage"]["properties"]["data"]["items"]["discriminator"]["mapping"]
    assert list(mapping) == [register.name for register in REGISTERS.values()]
    for register in REGISTERS.values():
        assert f"`{register.name}` with `{register.scope}`" in get["description"]
        assert set(SCHEMAS[stored_shape(register).__name__]["properties"]) < set(register.row.model_fields)


@pytest.mark.django_db
def test_answers_keep_to_it_and_fields_are_all_of_the_declared_in_their_order(
    small: SmallCompany, caller_of: Callers
) -> None:
    call = caller_of(small.organization_id)
    assert call("/feed/v1/openapi.json").json()["paths"] == DOCUMENT["paths"]
    answer = page(call)
    validator("ChangesPage").validate(answer)
    of_name = {register.name: register for register in REGISTERS.values()}
    for each in answer["data"]:
        register = of_name[each["register"]]
        change_of(register).model_validate(each)
        if each["removed"]:
            continue
        declared = list(stored_shape(register).model_fields)
        if register.name == "people":  # as in /v1, names come last
            assert sorted(each["fields"]) == sorted(declared)
        else:
            assert list(each["fields"]) == declared
    validator("ProblemDocument").validate(call("/feed/v1/changes?limit=x").json())
