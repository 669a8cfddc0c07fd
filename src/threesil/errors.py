"""The errors that a user can correct.

An `InputError` says what was given, where it stands (file, line, column, with a caret under the
place), what was expected and what to do. The command line prints it and exits with code 2.
"""

from __future__ import annotations

from typing import Final

_LONGEST: Final = 2000  # characters of a message
_WINDOW: Final = 60  # characters of a long line that are shown on each side of the caret


class ThreesilError(Exception):
    """Base of all errors that threesil raises on purpose."""

    def __init__(self, message: str = "") -> None:
        if len(message) > _LONGEST:  # it names something that is as long as a file
            message = f"{message[: _LONGEST - 200]} ... {message[-200:]}"
        super().__init__(message)
        self.message = message


class InputError(ThreesilError):
    """Bad input, with its place.

    `line` and `column` count from 1; `text` is the line of the input that holds the place.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        column: int | None = None,
        text: str | None = None,
    ) -> None:
        super().__init__(message)
        self.source = source
        self.line = line
        self.column = column
        self.text = text

    @property
    def in_a_line(self) -> str:
        """The place and the message, without the line that holds the place."""
        where = ":".join(str(part) for part in (self.source, self.line, self.column) if part)
        return f"{where}: {self.message}" if where else self.message

    def __str__(self) -> str:
        report = self.in_a_line
        if self.text is None or self.column is None:
            return report
        start = max(0, self.column - 1 - _WINDOW)
        end = self.column - 1 + _WINDOW
        shown = "".join(c if c.isprintable() else "?" for c in self.text[start:end])
        head = "..." if start else ""
        tail = "..." if end < len(self.text) else ""
        caret = " " * (len(head) + self.column - 1 - start) + "^"
        return f"{report}\n  {head}{shown}{tail}\n  {caret}"


class IllegalAction(ThreesilError, ValueError):
    """An action that the mask of the current state does not allow."""


class MissingTool(ThreesilError):
    """An optional dependency or an external program that is not installed (exit code 3)."""
