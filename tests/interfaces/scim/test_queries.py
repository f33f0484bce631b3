"""Lists of Users: filters, pages, orders, and which attributes are answered."""

from itertools import chain
from urllib.parse import quote

import pytest

from tests.interfaces.scim.test_protocol import fault

SEARCH = "urn:ietf:params:scim:api:messages:2.0:SearchRequest"


def _listed(client, query):
    answer = client.get(f"/Users?{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def _names(listed):
    return [each["userName"] for each in listed["Resources"]]


@pytest.mark.parametrize(
    "wanted",
    [
        "userName",
        "userName eq",
        'userName eq "a',
        'userName is "a"',
        'salary eq "1"',
        'emails.salary eq "1"',
        'emails[salary eq "1"]',
        'urn:none:User:title eq "1"',
        'active gt "1"',
        "active gt true",
        'active eq "maybe"',
        'meta.lastModified gt "yesterday"',
        'meta.created sw "2020"',
        'meta.lastModified co "2020"',
        'not (meta.created ew "Z")',
        "userName co true",
        "emails[value sw 7]",
        'name eq "Anna"',
        'meta.location eq "x"',
        '(userName eq "a"',
        "()",
        "not",
        " or ".join(['title eq "a"'] * 61),
        "(" * 21 + 'title eq "a"' + ")" * 21,
        'title eq "' + "a" * 4000 + '"',
    ],
)
def test_a_filter_that_means_nothing_is_refused(client, wanted):
    fault(client.get(f"/Users?filter={quote(wanted)}"), 400, "invalidFilter")
    fault(client("POST", "/Users/.search", {"schemas": [SEARCH], "filter": wanted}), 400, "invalidFilter")


@pytest.mark.parametrize("wanted", ["groups.$ref {}", "groups[$ref {}]"])
@pytest.mark.parametrize("comparison", ['eq "x"', 'sw "http"', 'gt "x"'])
def test_references_are_compared_as_texts(client, company, wanted, comparison):
    company.join("Fred", team_ids=(company.team(),))
    assert _listed(client, f"filter={quote(wanted.format(comparison))}")["totalResults"] == 0


@pytest.mark.parametrize("path", ["/Users", "/Users/{id}", "/Groups", "/Schemas"])
def test_a_query_of_very_many_parameters_is_refused(client, path, caplog):
    answer = client.get(f"{path.format(id=client.user()['id'])}?{'a&' * 1001}")
    assert "1000" in fault(answer, 400).detail
    assert "api_failure" not in caplog.text


def test_pages_hold_everybody_once_newest_first(client):
    made = [client.user(f"user{n}@example.com")["userName"] for n in range(7)]
    listed = _listed(client, "startIndex=1&count=3")
    assert (listed["totalResults"], listed["startIndex"], listed["itemsPerPage"]) == (7, 1, 3)
    pages = [_names(_listed(client, f"startIndex={start}&count=3")) for start in (1, 4, 7)]
    assert [*chain(*pages)] == made[::-1]
    assert _listed(client, "startIndex=8")["Resources"] == []
    assert _listed(client, "count=0")["totalResults"] == 7
    assert _listed(client, "count=0")["Resources"] == []
    assert _names(_listed(client, "startIndex=-5&count=-1")) == []
    assert _names(_listed(client, "startIndex=0")) == made[::-1]
    assert _listed(client, "startIndex=" + "9" * 30)["Resources"] == []
    assert _names(_listed(client, "count=" + "9" * 30)) == made[::-1]
    for query in ("startIndex=one", "count=1e3", "cursor=", "count=x"):
        fault(client.get(f"/Users?{query}"), 400, "invalidValue")


def test_lists_are_ordered_by_few_attributes(client):
    for name, title in (("b@example.com", "x"), ("A@example.com", "y"), ("c@example.com", "z")):
        client.user(name, displayName=title)
    ascending = ["A@example.com", "b@example.com", "c@example.com"]
    assert _names(_listed(client, "sortBy=userName")) == ascending
    assert _names(_listed(client, "sortBy=userName&sortOrder=descending")) == ascending[::-1]
    assert _names(_listed(client, "sortBy=meta.created&sortOrder=descending")) == ["c@example.com", *ascending[:2]]
    assert _names(_listed(client, "sortBy=displayName&count=1")) == ["b@example.com"]
    for wrong in ("sortBy=title", "sortBy=salary", "sortBy=name"):
        fault(client.get(f"/Users?{wrong}"), 400, "invalidPath")
    fault(client.get("/Users?sortBy=userName&sortOrder=sideways"), 400, "invalidValue")


def test_a_search_in_a_body_is_as_one_in_the_address(client):
    client.user("a@example.com", title="Nurse")
    client.user("b@example.com")
    body = {"schemas": [SEARCH], "filter": "title pr", "attributes": ["title"], "count": 5, "startIndex": 1}
    found = client("POST", "/Users/.search", body).json()
    assert found == _listed(client, "filter=title pr&attributes=title&count=5".replace(" ", "%20"))
    assert [each["title"] for each in found["Resources"]] == ["Nurse"]
    fault(client("POST", "/Users/.search", {"schemas": ["urn:none"]}), 400, "invalidSyntax")


def test_who_names_attributes_gets_these(client, company):
    made = client.user(title="Nurse", name={"givenName": "Anna", "familyName": "Smith"})
    path = f"/Users/{made['id']}"
    assert set(client.get(f"{path}?attributes=userName,name.givenName").json()) == {"schemas", "id", "userName", "name"}
    assert client.get(f"{path}?attributes=name.givenName").json()["name"] == {"givenName": "Anna"}
    left_out = client.get(f"{path}?excludedAttributes=title,meta").json()
    assert set(made) - set(left_out) == {"title", "meta"}
    made = client("POST", "/Users?attributes=title", {"schemas": made["schemas"], "userName": "x", "title": "y"}).json()
    assert set(made) == {"schemas", "id", "title"}
    fault(client.get(f"{path}?attributes=title&excludedAttributes=name"), 400, "invalidValue")


def test_a_list_takes_as_many_statements_however_long(client, company, django_assert_num_queries):
    for n in range(5):
        client.user(f"user{n}@example.com")
    company.join("Fred", team_ids=(company.team(),))
    client.get("/Users")  # a connection's first statements
    with django_assert_num_queries(7) as few:
        client.get("/Users?count=1")
    with django_assert_num_queries(len(few)):
        assert client.get("/Users").json()["totalResults"] == 6
    with django_assert_num_queries(len(few)):
        client.get("/Users?filter=userName%20eq%20%22user1@example.com%22")
