"""HTML that cannot be broken by what it shows."""

from html.parser import HTMLParser

import pytest

from quantail.markup import Markup, element, escape, join

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "&lt;b&gt;",
    "</title></style></svg>",
    "a & b < c",
)


class Reader(HTMLParser):
    """What a browser would make of it: tags with their attributes, and the text."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def read(markup):
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_is_shown_as_it_is(text):
    seen = read(element("p", text, title=text))
    assert seen.tags == [("p", {"title": text})]
    assert seen.text == text


@pytest.mark.parametrize("unseen", ["\x00", "\x1b[31m", "\u202e", "\ud800", "\x85"])
def test_characters_that_cannot_be_seen_are_spelled_out(unseen):
    written = element("p", f"a{unseen}b")
    assert unseen[0] not in written
    assert "\\" in written
    written.encode("utf-8")


def test_markup_is_escaped_once_only():
    inner = element("b", "x & y")
    assert element("p", inner) == "<p><b>x &amp; y</b></p>"
    assert escape(inner) is inner
    assert join(["a", None, [inner, ("<", Markup("<br>"))]]) == "a<b>x &amp; y</b>&lt;<br>"


def test_attributes_are_left_out_or_written_without_a_value():
    written = element("input", class_="a", aria_label="b", hidden=True, title=None, checked=False, width=1.5)
    assert written == '<input class="a" aria-label="b" hidden width="1.5"></input>'
