r"""Names as people read them: what is no plain name stands in quotes, and nothing hides in it.

A name comes from a file, and may be any text: one that looks like a whole statement, a line break,
a mark that turns the direction of what follows, a letter of another script that looks like an x.
Such a name is *quoted*, and characters that do not show what they are are written as `\n`,
`\u202e`, `\u0445`. A variable that could be taken for something else is quoted in brackets:
`["e"] * x`. What is written so is read back.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_POWERS: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺"
NAME: Final = rf"(?:(?![{_POWERS}])[^\W\d])(?:(?![{_POWERS}])\w)*"
QUOTED: Final = r'"[^"\\]*(?:\\.[^"\\]*)*"'
BRACKETED: Final = rf"\[{QUOTED}\]"
_PLAIN = re.compile(rf"{NAME}|[0-9]+")
_VARIABLE = re.compile(NAME)
_TITLE = re.compile(r"[\w#.:+*/\\^<>~@&|!$%?'-]+")
_WORDS = re.compile(r"\w[\w-]*(?: \w[\w-]*)*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))", re.DOTALL)
_BREAKS: Final = {"n": "\n", "r": "\r", "t": "\t"}
# Of these scripts a text shows letters and signs in another order than they have.
_TURNED: Final = ("R", "AL", "AN")
# Letters that nobody sees; letters and signs that look like an ASCII one, or like the sign =.
_UNSEEN: Final = "\u115f\u1160\u3164\uffa0"
_TWINS: Final = (
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03f2\u03f3"
    "\u0405\u0406\u0408\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425"
    "\u0430\u0441\u0435\u0456\u0458\u043e\u0440\u0455\u0445\u0443\u04bb\u04c0\u04cf\u0501\u051b\u051d"
    "\u0555\u0585\u057d\u0578\u02d0\u05c3\ua789\u2236\ua78a\u2550\u1400\u30a0\u2e40\u3013"
)


@lru_cache(maxsize=4096)
def _shows(character: str) -> bool:
    """Whether people see a character, and take it for no other."""
    if character == " " or (character.isascii() and character.isprintable()):
        return True
    return (
        unicodedata.category(character)[0] in "LNPS"
        and unicodedata.bidirectional(character) not in _TURNED
        and character not in _UNSEEN + _TWINS
        and unicodedata.normalize("NFKC", character) == character
    )


def is_seen(name: str) -> bool:
    """Whether a name shows what it is."""
    return all(map(_shows, name))


def quoted(name: str) -> str:
    """The name in quotes; `unquoted` reads it."""
    plain = name.replace("\\", "\\\\").replace('"', '\\"')
    shown = (c if _shows(c) else c.encode("unicode_escape").decode() for c in plain)
    return f'"{"".join(shown)}"'


def unquoted(text: str) -> str:
    """The name that was quoted."""

    def character(found: re.Match[str]) -> str:
        number = found[1] or found[2] or found[3]
        if number is None:
            return _BREAKS.get(found[4], found[4])
        return chr(min(int(number, 16), 0x10FFFF))

    return _ESCAPE.sub(character, text[1:-1])


def is_plain(name: str) -> bool:
    """Whether a symbol can be written without quotes: a name, or a number."""
    return _PLAIN.fullmatch(name) is not None and is_seen(name)


@lru_cache(maxsize=4096)
def is_plain_variable(name: str) -> bool:
    return _VARIABLE.fullmatch(name) is not None and is_seen(name)


def bracketed(variable: str) -> str:
    """A variable that could be taken for something else."""
    return f"[{quoted(variable)}]"


@lru_cache(maxsize=4096)
def title(name: str) -> str:
    """What a theory or a problem is called."""
    return name if _TITLE.fullmatch(name) and is_seen(name) else quoted(name)


@lru_cache(maxsize=4096)
def label(name: str) -> str:
    """What an equation or a lemma is called: words such as `lemma 1` need no quotes either."""
    return name if _WORDS.fullmatch(name) and is_seen(name) else title(name)
