"""How commands print their help: examples letter by letter, the kinds of values as words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final

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


def _records(command: TyperCommand | TyperGroup, context: Context) -> dict[str, list[Any]]:
    """(name, help) of each argument and option, by the titles that they stand under."""
    records: dict[str, list[Any]] = {"Arguments": [], "Options": []}
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if record is None:
            continue
        argument = param.param_type_name == "argument"
        title = "Arguments" if argument else getattr(param, "rich_help_panel", None) or "Options"
        name = re.sub(r" <([^>]*)>", "" if argument else _kind, record[0])
        records.setdefault(title, []).append((name, record[1]))
    return records


def _kind(found: re.Match[str]) -> str:
    return " " + _KINDS.get(found[1], found[1] if "|" in found[1] else "NAME")


def _sections(command: TyperCommand | TyperGroup, context: Context, formatter: Any) -> None:
    for title, records in _records(command, context).items():
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


class Command(TyperCommand):
    def __init__(self, name: str | None, **given: Any) -> None:
        super().__init__(name, **{**given, "help": examples_kept(given.get("help"))})

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _sections(self, ctx, formatter)


class Group(TyperGroup):
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {}  # the names of commands by their titles

    def __init__(self, **given: Any) -> None:
        super().__init__(**{**given, "help": examples_kept(given.get("help"))})

    def format_options(self, ctx: Any, formatter: Any) -> None:
        _sections(self, ctx, formatter)
        known = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        grouped = {name for names in self.groups.values() for name in names}
        if not set(known) <= grouped:
            self.format_commands(ctx, formatter)
            return
        limit = formatter.width - 6 - max(map(len, known))
        for title, names in self.groups.items():
            rows = [(n, c.get_short_help_str(limit)) for n in names if (c := known.get(n))]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
