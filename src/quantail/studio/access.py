"""Who may speak to the studio: whoever holds the token, from the studio's own pages, on this machine.

The address that is printed carries a token. It is exchanged for a cookie, and is then no part of any address. The
cookie belongs to a path that nobody can guess, because browsers send cookies to every port of a host: a page that
another user of this machine serves on another port would get to see it otherwise.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

COOKIE = "quantail_studio"
HOST = "127.0.0.1"
_SAFE = ("GET", "HEAD")
_OWN = ("none", "same-origin")  # typed by a person, or asked for by one of our pages


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Refusal:
    """Why a request is not answered."""

    status: int
    reason: str


@dataclass(frozen=True)
class Access:
    """The secrets of one run of the studio, and what they allow."""

    port: int  # where the studio listens
    token: str = field(default_factory=_secret, repr=False)  # in the address that is printed
    session: str = field(default_factory=_secret, repr=False)  # in the cookie
    # first part of the path of every page
    prefix: str = field(default_factory=lambda: secrets.token_urlsafe(12), repr=False)

    @property
    def origin(self) -> str:
        """Where the studio's pages come from."""
        return f"http://{HOST}:{self.port}"

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"{self.origin}/open/{self.token}"

    def admits(self, token: str) -> bool:
        """Say whether somebody holds the token."""
        return _same(token, self.token)

    def cookie(self) -> str:
        """Return the header that hands out the cookie."""
        return f"{COOKIE}={self.session}; Path=/{self.prefix}/; HttpOnly; SameSite=Strict"

    def form_token(self, action: str) -> str:
        """Return what a form must send with it, different for every form."""
        return hmac.new(self.session.encode(), action.encode(), hashlib.sha256).hexdigest()

    def accepts_form(self, action: str, token: str) -> bool:
        """Say whether a form was made by one of our pages, for this very purpose."""
        return _same(token, self.form_token(action))

    def refusal(self, method: str, path: str, headers: Mapping[str, str]) -> Refusal | None:
        """Say why a request is refused, if it is.

        `headers`: by names in small letters.
        """
        # A name that resolves to this machine (DNS rebinding) is still another name.
        if headers.get("host") != f"{HOST}:{self.port}":
            return Refusal(421, f"This is the studio at {self.origin}; it answers to no other name.")
        if method not in (*_SAFE, "POST"):
            return Refusal(405, "Pages are read and forms are sent, nothing else.")
        if path.startswith("/open/") and method == "GET":
            return None  # the token is looked at there
        if headers.get("sec-fetch-site", "none") not in _OWN:
            return Refusal(403, "Another page asked for this.")
        if not self._has_cookie(headers.get("cookie", "")):
            return Refusal(403, "Open the address that `quantail studio` printed: it carries a token.")
        if method not in _SAFE and headers.get("origin") != self.origin:
            return Refusal(403, "This form was not sent by a page of the studio.")
        return None

    def _has_cookie(self, header: str) -> bool:
        # Other ports of this machine may have set cookies of the same name, or unreadable ones, for every path.
        pairs = (pair.strip().partition("=") for pair in header.split(";"))
        return any(name == COOKIE and _same(value, self.session) for name, _, value in pairs)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8"))
