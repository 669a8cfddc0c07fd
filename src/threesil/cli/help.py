"""How commands print their help: examples letter by letter, the kinds of values as words."""

from __future__ import annotations

import re
from typing import Any, Final

from typer import Context
from typer.core import TyperCommand, TyperGroup

_KINDS: Final = {"path": "PATH", "int": "N", "int range": "N", "float": "N", "float range": "N"}


def examples_kept(text: str | None) -> str | None:
    """A help text in which paragraphs that show a command are one block that is not wrapped."""
    if text is None:
        return None
    parts: list[str] = []
    for part in re.split(r"\n\s*\n", text):
        if not part.lstrip().startswith("threesil "):
            parts.append(part)
        elif parts and parts[-1].startswith("\b"):
            parts[-1] += f"\n  {part.strip()}"
        else:
            parts.append(f"\b\n  {part.strip()}")
    return "\n\n".join(parts)


def _records(command: TyperCommand | TyperGroup, context: Context, kind: str) -> list[Any]:
    """(name, help) of the arguments or of the options."""
    records = []
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if record is None or param.param_type_name != kind:
            continue
        name, help_text = record
        records.append(
            (re.sub(r" <([^>]*)>", "" if kind == "argument" else _kind, name), help_text)
        )
    return records


def _kind(found: re.Match[str]) -> str:
    return " " + _KINDS.get(found[1], found[1] if "|" in found[1] else "NAME")


def _sections(command: TyperCommand | TyperGroup, context: Context, formatter: Any) -> None:
    for title, kind in (("Arguments", "argument"), ("Options", "option")):
        if records := _records(command, context, kind):
            with formatter.section(title):
                formatter.write_dl(records)


class Command(TyperCommand):
    def __init__(self, name: str | None, **given: Any) -> None:
        super().__init__(name, **{**given, "help": examples_kept(given.get("help"))})

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _sections(self, ctx, formatter)


class Group(TyperGroup):
    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "help": examples_kept(given.get("help"))})

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _sections(self, ctx, formatter)
        self.format_commands(ctx, formatter)
