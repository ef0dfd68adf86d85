"""Cards show what a schema says and never obey it: in Markdown and HTML, whatever stands in any text field.

A page is compared with the page of the same card in plain words: the same structure, and the hostile words as text. A
field that somebody forgets to escape changes the structure, and fails here.
"""

import itertools
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from quantail.planning import Band, ColumnExpectation, Expectation, Resolution
from quantail.privacy import Plan, Terms
from quantail.release.facts import Facts
from quantail.report import release_card, render_html, render_markdown
from quantail.report.markdown import text
from quantail.schema import Column, Identity, Inequality, Panel, Schema
from quantail.visible import visible

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "a | b",
    "`code`",
    "```",
    "[link](https://e.example)",
    "![image](https://e.example/i.png)",
    "<https://e.example>",
    "*em* __strong__ ~~gone~~",
    "line\n\n# heading",
    "- item",
    "1. item",
    "> quote",
    "&lt;b&gt;",
    "back\\slash\\",
    "\x1b[31mred\u202e",
    "[ref]: https://e.example",
    "|---|",
    "</td></tr></table>",
    '\'" onmouseover="x',
]
PLAIN = "plain"
FORMULA = "=x"  # on every card, because cards say where one is


def facts(schema, plan):
    """State the facts of a release that was never made."""
    terms = Terms(schema.to_toml(), 9, "1", "", "pure", "tables")
    return Facts(schema, plan, terms, Fraction(1), None, True, 9)


class Receipt:
    """A ledger that paid, for a data set of any name."""

    unit = "epsilon"

    def __init__(self, dataset, paid):
        self.dataset, self.entries = dataset, (paid,)

    def confirm(self, *entries):
        return self


class Paid:
    kind, number, amount, hash = "charge", 1, 1, "ab" * 32


def table_card(words):
    """Return a card every text field of which is drawn from `words`, each made unlike the others."""
    number = itertools.count()

    def take():
        return f"{next(words)}{next(number)}"

    region, pay, part, whole = take(), take(), take(), take()
    columns = (
        Column(region, "category", categories=(take(), take(), FORMULA), source=take(), public=True),
        Column(pay, "numeric", 0, 9, source=take(), label=take(), storage="float32"),
        Column(part, "numeric", 0, 9, source=take(), predictors=(pay,)),
        Column(whole, "numeric", 0, 18, source=take()),
    )
    schema = Schema(
        columns,
        unit=take(),
        name=take(),
        by=(region,),
        identities=(Identity(whole, (pay, part)),),
        inequalities=(Inequality(part, pay),),
    )
    # A name at the start of a line of the drawing, and names and notes further inside.
    plan = Plan.parallel(take(), [Plan.sequence(take(), [Plan.leaf(take(), 1, take())])])
    band = {"q50": Band(0.1, 0.05, 0.2)}
    expectation = Expectation(
        9, False, "1", "lognormal", 19, (ColumnExpectation(Resolution(pay, 3, 1.0, 0.5), band),)
    )
    options = {"ledger": Receipt(take(), Paid()), "entry": Paid(), "expectation": expectation}
    return release_card(facts(schema, plan), rows=9, **options)


def panel_card(words):
    number = itertools.count()

    def take():
        return f"{next(words)}{next(number)}"

    panel = Panel(take(), take(), take(), 2000, 2002, "long", take(), take(), "partial")
    columns = (
        Column(take(), "category", public=True, categories=(FORMULA,), source=take()),
        Column(take(), "integer", 0, 9),
    )
    schema = Schema(columns, unit=take(), name=take(), panel=panel)
    return release_card(facts(schema, Plan.leaf(take(), 1)), rows=9)


def markdown_structure(page):
    """Return the kinds of all parts of a page, and its texts."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    kinds, texts = [], []
    for token in parser.parse(page):
        kinds.append(token.type)
        if token.type == "fence":
            texts.append(token.content)
        for child in token.children or ():
            if child.type == "text":
                kinds += [] if kinds[-1] == "text" else ["text"]
                texts.append(child.content)
            elif child.type == "text_special":
                texts.append(child.content)
            else:
                kinds.append(child.type)
    return kinds, "".join(texts)


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.kinds, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        self.kinds.append((tag, tuple(name for name, _ in attrs)))

    def handle_endtag(self, tag):
        self.kinds.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def html_structure(page):
    reader = Reader()
    reader.feed(page)
    return reader.kinds, "".join(reader.texts)


def taken(make, words):
    """Return a card of these words, and the words that went into it."""
    used = []

    def noted():
        for word in words:
            used.append(word)
            yield word

    return make(noted()), used


@pytest.mark.parametrize("make", [table_card, panel_card])
@pytest.mark.parametrize(
    ("render", "structure"), [(render_markdown, markdown_structure), (render_html, html_structure)]
)
@pytest.mark.parametrize("word", HOSTILE)
def test_every_field_with_a_hostile_word_is_shown_as_text(make, render, structure, word):
    plain, _ = taken(make, itertools.repeat(PLAIN))
    hostile, _ = taken(make, itertools.repeat(word))
    assert structure(render(hostile))[0] == structure(render(plain))[0]
    if render is render_markdown:
        shown = visible(" ".join(word.split()))
        assert structure(render(hostile))[1].count(shown) >= 20


def fields_of(make):
    return len(taken(make, itertools.repeat(PLAIN))[1])


@pytest.mark.parametrize("make", [table_card, panel_card])
def test_one_hostile_field_among_plain_ones_is_shown_as_text(make):
    expected = {render: structure(render(make(itertools.repeat(PLAIN)))) for render, structure in BOTH}
    for place in range(fields_of(make)):
        words = (HOSTILE[0] if k == place else PLAIN for k in itertools.count())
        card = make(words)
        for render, structure in BOTH:
            assert structure(render(card))[0] == expected[render][0], (place, render)


BOTH = ((render_markdown, markdown_structure), (render_html, html_structure))


WORDS = st.sampled_from([*HOSTILE, PLAIN]) | st.text("<>&|`*_[]()#!~\\-+=\n\x1b1. ab", max_size=8)


@settings(max_examples=40, deadline=None)
@given(st.lists(WORDS, min_size=25))
def test_any_mixture_of_hostile_words_is_shown_as_text(words):
    for make in (table_card, panel_card):
        plain = make(itertools.repeat(PLAIN))
        # A number follows every word, so none is blank and none is like another.
        hostile = make(itertools.cycle(f"x{word}" for word in words))
        for render, structure in BOTH:
            assert structure(render(hostile))[0] == structure(render(plain))[0]


@settings(max_examples=200, deadline=None)
@given(st.text("<>&|`*_[]()#!~\\-+=\n\x1b1. ab:$", min_size=1, max_size=20).filter(str.strip))
def test_text_is_read_back_as_it_was(words):
    kinds, found = markdown_structure(f"- {text(words)}")
    assert found == visible(" ".join(words.split()))
    assert set(kinds) <= {
        *("bullet_list_open", "list_item_open", "paragraph_open", "inline", "text"),
        *("paragraph_close", "list_item_close", "bullet_list_close"),
    }


def test_a_drawing_cannot_end_its_own_fence():
    card = table_card(itertools.repeat(PLAIN))
    plain = markdown_structure(render_markdown(card))[0]
    card["budget"]["drawing"] = "a\n```\n# heading\n````\n<b>"
    assert markdown_structure(render_markdown(card))[0] == plain
