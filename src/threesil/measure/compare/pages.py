"""Pages: the Markdown that a report is written in, and that Markdown as one HTML page.

The page needs nothing but itself: its pictures are inline SVG in the colours of the page, light or
dark, and a policy forbids it to load anything. Names come from files, so they may hold anything;
`escape` and `code` make plain text of them.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

_UNSEEN: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")  # control characters and the like
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>&|~$!])")
_LEADING: Final = re.compile(r"^([-+=#]|\d+(?=[.)]))")


def escape(text: str) -> str:
    """A text from outside that stands for itself in Markdown, at any place within a line."""
    escaped = _SPECIAL.sub(r"\\\1", _line(text))
    return _LEADING.sub(lambda m: "\\" + m[1] if not m[1].isdigit() else m[1] + "\\", escaped)


def code(text: str) -> str:
    """A text from outside as code, in a table."""
    line = _line(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}".replace("|", "\\|")


def _line(text: str) -> str:
    """One line that people can see: no control characters, no blanks around it."""
    seen = (" " if c.isspace() else c for c in text)
    shown = ("?" if unicodedata.category(c) in _UNSEEN else c for c in seen)
    return " ".join("".join(shown).split())


def title(text: str, level: int = 2) -> str:
    """The heading of a page (level 1) or of a part of it."""
    return f"{'#' * level} {text}"


def points(items: Iterable[str]) -> str:
    """A list of short texts."""
    return "\n".join(f"- {item}" for item in items)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1) -> str:
    """A table whose first `texts` columns are text, the others numbers."""
    rules = ("---" if i < texts else "--:" for i in range(len(columns)))
    lines = (" | ".join(line) for line in (columns, tuple(rules), *rows))
    return "\n".join(f"| {line} |" for line in lines)


def picture(name: str, label: str, caption: str, folder: str = "figures") -> str:
    """A figure of a folder; `label` says what it shows to those who can't see it."""
    return f"![{label}]({folder}/{name}.png)\n\n*{caption}*"


def to_html(markdown: str, pictures: Mapping[str, str], title: str) -> str:
    """The page; `pictures` are the SVG elements by the names of the figures."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = list(_tables(_figures(reader.parse(markdown), reader, pictures)))
    body = RendererHTML(reader).render(tokens, reader.options, {})
    return _PAGE.format(title=html.escape(_line(title)), style=_STYLE, body=body.rstrip())


def _raw(content: str) -> Token:
    return Token("html_block", "", 0, content=f"{content}\n")


def _figures(
    tokens: Sequence[Token], reader: MarkdownIt, pictures: Mapping[str, str]
) -> Iterator[Token]:
    """Paragraphs that are an image, and the captions behind them, as figures."""
    renderer = RendererHTML(reader)
    index = 0
    while index < len(tokens):
        children = _paragraph(tokens, index)
        if len(children) != 1 or children[0].type != "image":
            yield tokens[index]
            index += 1
            continue
        image, caption = children[0], _paragraph(tokens, index + 3)[1:-1]
        name = str(image.attrs["src"]).rpartition("/")[2].removesuffix(".png")
        label = html.escape(renderer.renderInlineAsText(image.children, reader.options, {}))
        words = renderer.renderInline(caption, reader.options, {})
        yield _raw(
            f'<figure>\n<div role="img" aria-label="{label}">\n{pictures[name]}\n</div>\n'
            f"<figcaption>{words}</figcaption>\n</figure>"
        )
        index += 6


def _paragraph(tokens: Sequence[Token], index: int) -> list[Token]:
    """What is inside of the paragraph that begins here, if one does."""
    if index + 1 < len(tokens) and tokens[index].type == "paragraph_open":
        return tokens[index + 1].children or []
    return []


def _tables(tokens: Iterable[Token]) -> Iterator[Token]:
    """Tables that scroll by themselves, with headings of columns and rows that say so."""
    row_heading = False  # the next cell is the first of a row in the body
    in_body = False
    for token in tokens:
        if token.type == "table_open":
            yield _raw('<div class="wide" tabindex="0">')
        in_body = token.type == "tbody_open" or (in_body and token.type != "tbody_close")
        if token.type == "tr_open":
            row_heading = in_body
        if token.type in ("th_open", "td_open"):
            if token.attrs.pop("style", "") == "text-align:right":
                token.attrs["class"] = "n"
            if token.type == "th_open" or row_heading:
                token.attrs["scope"] = "row" if row_heading else "col"
                token.tag = "th"
        if token.type == "td_close":
            token.tag = "th" if row_heading else "td"
            row_heading = False
        yield token
        if token.type == "table_close":
            yield _raw("</div>")


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
@media print {
  :root { --ground: #fff; --ink: #000; --soft: #444; --stripe: #fff; }
  main { max-width: none; padding: 0; }
  /* Nobody can scroll on paper. */
  .wide { overflow: visible; }
  table { font-size: 0.72rem; }
  th.n, td.n, tbody th { white-space: normal; }
  tr, figure { break-inside: avoid; }
  h2 { break-after: avoid; }
}"""
