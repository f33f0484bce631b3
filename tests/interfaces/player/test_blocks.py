"""The HTML of blocks, as the templates draw them."""

from django.template.loader import render_to_string

from compliance.contentfile.course import Contact, Contacts


def test_a_contact_s_address_fills_in_no_other_field_of_a_letter():
    address = "first+last@example.com?bcc=other%40example.com&subject=x.com"
    block = Contacts("", (Contact(role="", name="", email=address, phone="", url=""),))
    html = render_to_string("player/block.html", {"block": block})
    assert 'href="mailto:first%2Blast@example.com%3Fbcc%3Dother%2540example.com%26subject%3Dx.com"' in html
