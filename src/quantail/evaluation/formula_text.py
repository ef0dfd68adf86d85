"""Reading the text of a formula into factors and terms; the language is described in `formula`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quantail.errors import OptionError

_TOKEN = re.compile(r"\s*(?:(?P<name>`[^`]+`|[^\W\d][\w.]*)|(?P<number>\d+)|(?P<sign>\*\*|[-~+:*()^]))")
_HIGHEST_POWER = 9


@dataclass(frozen=True)
class Factor:
    """A column as it enters a term: as it is, as labels (C), as a power (I), or changed by a function."""

    column: str
    function: str = ""
    power: int = 1

    def __str__(self) -> str:
        """Write the factor as it stands in a formula."""
        inside = f"{self.column}^{self.power}" if self.function == "I" else self.column
        return f"{self.function}({inside})" if self.function else inside


Term = tuple[Factor, ...]


def parse_formula(text: str, functions: frozenset[str]) -> tuple[Factor, tuple[Term, ...], bool]:
    """Read a formula: its response, its terms, and whether it has an intercept."""
    return _Parser(text, functions).formula()


class _Parser:
    """Recursive descent over a list of tokens; every method reads one rule of the language."""

    def __init__(self, text: str, functions: frozenset[str]) -> None:
        self.text, self.functions = text, functions
        self.tokens = [*_tokens(text), ""]
        self.place = 0

    def formula(self) -> tuple[Factor, tuple[Term, ...], bool]:
        response = self.factor()
        self.expect("~")
        terms: list[Term] = []
        intercept = True
        sign = "-" if self.accept("-") else "+"
        while True:
            if self.peek() in ("0", "1"):
                intercept = (self.next() == "1") == (sign == "+")
            elif sign == "-":
                raise self.wrong("only the intercept can be taken away, by - 1")
            else:
                terms += self.product()
            if self.peek() == "":
                break
            sign = "-" if self.accept("-") else self.expect("+")
        unique = tuple(dict.fromkeys(terms))
        if not unique and not intercept:
            raise self.wrong("nothing stands on its right side")
        return response, unique, intercept

    def product(self) -> list[Term]:
        terms = [self.interaction()]
        while self.accept("*"):
            other = self.interaction()
            terms += [other, *(term + other for term in terms)]
        return sorted(terms, key=len)

    def interaction(self) -> Term:
        factors = [self.factor()]
        while self.accept(":"):
            factors.append(self.factor())
        return tuple(factors)

    def factor(self) -> Factor:
        name = self.name()
        if not self.accept("("):
            return Factor(name)
        if name not in self.functions | {"C", "I"}:
            raise self.wrong(f"there is no function of this name; write one of {self.known()}")
        column, power = self.name(), 1
        if name == "I":
            if not (self.accept("^") or self.accept("**")):
                raise self.wrong("I() holds a power, such as I(age^2)")
            power = self.whole_number()
        self.expect(")")
        return Factor(column, name, power)

    def name(self) -> str:
        token = self.next()
        if not token or not (token[0] == "`" or token[0].isalpha() or token[0] == "_"):
            raise self.wrong("a column name is missing; names with spaces or signs stand in backticks")
        return token.strip("`")

    def whole_number(self) -> int:
        token = self.next()
        if not token.isdecimal() or not 1 <= int(token) <= _HIGHEST_POWER:
            raise self.wrong(f"powers are whole numbers from 1 to {_HIGHEST_POWER}")
        return int(token)

    def known(self) -> str:
        return ", ".join(sorted(self.functions | {"C", "I"}))

    def peek(self) -> str:
        return self.tokens[self.place]

    def next(self) -> str:
        token = self.tokens[self.place]
        self.place += token != ""
        return token

    def accept(self, token: str) -> bool:
        found = self.peek() == token
        self.place += found
        return found

    def expect(self, token: str) -> str:
        if not self.accept(token):
            raise self.wrong(f"{token} is expected {self.here()}")
        return token

    def here(self) -> str:
        return f"before {self.peek()!r}" if self.peek() else "at the end"

    def wrong(self, what: str) -> OptionError:
        return OptionError(f"formula {self.text!r}: {what}. A formula reads like wage ~ age + C(region).")


def _tokens(text: str) -> Iterator[str]:
    place = 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if found is None:
            raise OptionError(
                f"formula {text!r}: character {text[place:].strip()[0]!r} has no meaning here; "
                "names with spaces or signs stand in backticks."
            )
        yield found[0].strip()
        place = found.end()
