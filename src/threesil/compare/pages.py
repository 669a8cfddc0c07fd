"""A report as a list of blocks, and the two ways to write it: Markdown and one HTML page.

Text may hold `code` between backticks. The HTML page needs nothing but itself: its pictures are
inline SVG in the colours of the page, light or dark, and a policy forbids it to load anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Title:
    """The heading of the report (level 1) or of a part of it (level 2)."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Points:
    """A list of short texts."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Columns and rows. The first `texts` columns are text, the others numbers."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1


@dataclass(frozen=True)
class Picture:
    """A figure by its name, with a caption; `label` says what it shows to those who can't see."""

    name: str
    label: str
    caption: str


Block = Title | Text | Points | Table | Picture


def to_markdown(blocks: Sequence[Block], folder: str = "figures") -> str:
    """The report as Markdown, its pictures as PNG files in a folder beside it."""
    parts = []
    for block in blocks:
        match block:
            case Title(text, level):
                parts.append(f"{'#' * level} {text}")
            case Text(text):
                parts.append(text)
            case Points(items):
                parts.append("\n".join(f"- {item}" for item in items))
            case Table(columns, rows, texts):
                rules = ("---" if i < texts else "--:" for i in range(len(columns)))
                lines = [" | ".join(_cell(c) for c in line) for line in (columns, *rows)]
                lines.insert(1, " | ".join(rules))
                parts.append("\n".join(f"| {line} |" for line in lines))
            case Picture(name, label, caption):
                parts.append(f"![{label}]({folder}/{name}.png)\n\n*{caption}*")
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def to_html(blocks: Sequence[Block], pictures: Mapping[str, str], title: str) -> str:
    """The report as one page; `pictures` are the SVG elements by the names of the figures."""
    parts = []
    for block in blocks:
        match block:
            case Title(text, level):
                parts.append(f"<h{level}>{_inline(text)}</h{level}>")
            case Text(text):
                parts.append(f"<p>{_inline(text)}</p>")
            case Points(items):
                lines = "\n".join(f"<li>{_inline(item)}</li>" for item in items)
                parts.append(f"<ul>\n{lines}\n</ul>")
            case Table():
                parts.append(_table(block))
            case Picture(name, label, caption):
                parts.append(
                    f'<figure role="img" aria-label="{escape(label)}">\n{pictures[name]}\n'
                    f"<figcaption>{_inline(caption)}</figcaption>\n</figure>"
                )
    return _PAGE.format(title=escape(title), style=_STYLE, body="\n".join(parts))


def _inline(text: str) -> str:
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape(text))


def _table(table: Table) -> str:
    def row(cells: tuple[str, ...], head: bool) -> str:
        out = []
        for index, cell in enumerate(cells):
            tag = "th" if head or index == 0 else "td"
            scope = f' scope="{"col" if head else "row"}"' if tag == "th" else ""
            kind = "" if index < table.texts else ' class="n"'
            out.append(f"<{tag}{scope}{kind}>{_inline(cell)}</{tag}>")
        return f"<tr>{''.join(out)}</tr>"

    body = "\n".join(row(cells, False) for cells in table.rows)
    return (
        f'<div class="wide" tabindex="0">\n<table>\n<thead>{row(table.columns, True)}</thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table>\n</div>"
    )


def inline_svg(svg: str, name: str, ink: str) -> str:
    """An SVG file as an element of a page: ids of its own, and the page's colour for its ink."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)
    svg = svg.replace("xlink:href", "href")
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    svg = re.sub(r"url\(#", f"url(#{name}-", svg)
    svg = re.sub(r'<svg\b([^>]*?) (?:width|height)="[^"]*"', r"<svg\1", svg)
    svg = re.sub(r'<svg\b([^>]*?) (?:width|height)="[^"]*"', r"<svg\1", svg)
    return svg.replace(ink, "currentColor").strip()


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; img-src data:">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""

_STYLE = """\
:root { --ground: #fcfcfa; --ink: #22272e; --soft: #5f6872; --line: #dcdfe3; --stripe: #f2f3f1; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171b; --ink: #e4e7ea; --soft: #9aa4ae; --line: #343a41; --stripe: #1c2026; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: clamp(1.5rem, 5vw, 2.1rem); line-height: 1.2; margin: 0.5rem 0 1rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 0.6rem; }
p, li { max-width: 46rem; }
code { font: 0.88em ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace;
  overflow-wrap: anywhere; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.92rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.36rem 0.8rem 0.36rem 0.4rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th.n, td.n { text-align: right; white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 600; white-space: nowrap; position: sticky; left: 0;
  background: var(--ground); }
tbody tr:nth-child(odd) > * { background: var(--stripe); }
figure { margin: 1.4rem 0; color: var(--ink); }
figure svg { display: block; width: 100%; max-width: 44rem; height: auto; }
figcaption { color: var(--soft); font-size: 0.92rem; max-width: 44rem; margin-top: 0.5rem; }
@media print { :root { --ground: #fff; --ink: #000; --soft: #444; --stripe: #fff; } }"""
