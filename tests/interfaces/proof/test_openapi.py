"""The description of /proof/v1: valid OpenAPI, compared with the format that is read and with the answers."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from compliance.catalogue import REGISTERS
from compliance.interfaces.proof.openapi import PROBLEMS, document
from compliance.interfaces.proof.urls import urlpatterns
from compliance.proofs.row_proof import MEMBERS
from tests.interfaces.console.small_company import SmallCompany
from tests.interfaces.proof.conftest import Callers

DOCUMENT = document("https://svc.example")
SCHEMAS = DOCUMENT["components"]["schemas"]
OF_PART = {
    "row": "ProvedRow",
    "tree": "TreePlace",
    "capture": "ProvedCapture",
    "log": "LogPlace",
    "identity": "ProvedIdentity",
}


def validator(name: str) -> Draft202012Validator:
    registry: Any = Registry().with_resource("urn:document", Resource.from_contents(DOCUMENT, DRAFT202012))
    return Draft202012Validator({"$ref": f"urn:document#/components/schemas/{name}"}, registry=registry)


def test_it_describes_the_members_that_the_verifier_reads_in_their_order() -> None:
    for part, name in OF_PART.items():
        assert list(SCHEMAS[name]["properties"]) == list(MEMBERS[part])
        assert SCHEMAS[name]["required"] == list(MEMBERS[part])
        assert SCHEMAS["RowProof"]["properties"][part]["$ref"].endswith(f"/{name}")
    assert SCHEMAS["RowProof"]["required"] == ["format", "row", "tree", "capture", "log"]


def test_it_describes_every_address_with_its_scope_and_problems() -> None:
    assert {f"/{pattern.pattern}" for pattern in urlpatterns} == {
        path.replace("{id}", "<str:record_id>") for path in DOCUMENT["paths"]
    }
    for register in REGISTERS.values():
        get = DOCUMENT["paths"][f"/proof/v1/{register.name}/{{id}}"]["get"]
        assert get["x-scope"] == register.scope
        assert {parameter["name"] for parameter in get["parameters"]} == {"id", "as_at"}
        assert set(get["responses"]) == {"200", *(str(code.status) for code in PROBLEMS.codes)}
    assert "`not_signed_yet`" in DOCUMENT["components"]["responses"]["Problem503"]["description"]


@pytest.mark.django_db
def test_answers_keep_to_it(small: SmallCompany, caller_of: Callers) -> None:
    call = caller_of(small.organization_id)
    assert call("/proof/v1/openapi.json").json()["paths"] == DOCUMENT["paths"]
    for row in call.pull("/v1/certificates"):
        validator("RowProof").validate(call(f"/proof/v1/certificates/{row['certificate_id']}").json())
    problem = call("/proof/v1/certificates/x").json()
    validator("ProblemDocument").validate(problem)
    assert problem["code"] in SCHEMAS["ProblemDocument"]["properties"]["code"]["enum"]
