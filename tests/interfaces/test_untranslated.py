"""What the search for untranslated text finds, and what it leaves alone."""

import pytest

from tests.interfaces.untranslated import unmarked_in_module, unmarked_in_template


def test_the_check_finds_what_is_not_marked():
    assert unmarked_in_template("<p>{% translate 'Hello you' %} <b>Hello you</b> {{ name }}</p>") == ["Hello you"]
    assert unmarked_in_template('<input placeholder="Your name"><code>manage.py</code>') == ["Your name"]
    assert unmarked_in_module("LABEL = 'Name of the team'\nother = gettext('Name of the team')", bool) == [
        "Name of the team"
    ]
    assert unmarked_in_template("{{ name|default:'No name' }}{{ name|default:_('No name') }}") == ["No name"]
    assert unmarked_in_module("done = f'The team {name} is made.'", bool) == ["The team ", " is made."]
    assert unmarked_in_module("f'{first} of {second}, account {third}'", bool) == [" of ", ", account "]


@pytest.mark.parametrize(
    "text",
    [
        "A report ends today at the latest.",
        "The file is larger than 64 MiB. Use `manage.py import_facts` for files like this.",
        "Like 192.0.2.0/24, separated by blanks.",
        "Choose a day between the years 1900 and 2999.",
        "Nobody's name, or “only try it”",
        "Something does not hold: pip install 'pyarrow>=26' first.",
        "7 and 1 days before a deadline",
        "API keys",
        "None.",
        "yes",
        "%d %b %Y, %H:%M",
    ],
)
def test_the_check_finds_each_form_of_text(text):
    assert unmarked_in_module(f"LABEL = {text!r}", bool) == [text]


@pytest.mark.parametrize(
    "text",
    ["SELECT name FROM team WHERE id = %(id)s", "%H:%M", "wide", "text/csv; charset=utf-8", "a_name b_name"],
)
def test_the_check_leaves_alone_what_is_no_text(text):
    assert unmarked_in_module(f"LABEL = {text!r}", bool) == []
