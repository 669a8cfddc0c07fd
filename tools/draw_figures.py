"""Draw the pictures of docs/how-it-learns.md and docs/how-it-rewrites.md, as SVG.

Usage: draw_figures.py [DIRECTORY]

Each picture is a function that returns its parts; a part is a piece of SVG. Places are in pixels
from the upper left corner. The ground is white, so that a page may be dark.
"""

import sys
from html import escape
from pathlib import Path

BLUE, GREEN, ORANGE, GREY, PALE = "#303f9f", "#1b6e20", "#a84300", "#555", "#e8eaf6"
FONT = "font-family='system-ui, sans-serif' font-size='14'"
TIP = (
    "<marker id='tip' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='7' markerHeight='7' "
    f"orient='auto'><path d='M0,0 L10,5 L0,10 z' fill='{GREY}'/></marker>"
)

Tree = tuple[str, list["Tree"]]


def text(
    x: float,
    y: float,
    words: str,
    colour: str = "#222",
    *,
    size: int = 14,
    anchor: str = "middle",
    mono: bool = False,
    bold: bool = False,
) -> str:
    family = " font-family='ui-monospace, monospace'" if mono else ""
    weight = " font-weight='600'" if bold else ""
    place = f"x='{x:g}' y='{y:g}' text-anchor='{anchor}' font-size='{size}'"
    return f"<text {place} fill='{colour}'{family}{weight}>{escape(words)}</text>"


def box(x: float, y: float, width: float, height: float, *lines: str, colour: str = BLUE) -> str:
    """A rounded box with lines of text in its middle; the first is bold."""
    shape = f"x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='8'"
    parts = [f"<rect {shape} fill='{PALE}' stroke='{colour}' stroke-width='1.5'/>"]
    top = y + height / 2 - 9 * (len(lines) - 1) + 5
    for i, line in enumerate(lines):
        parts.append(
            text(x + width / 2, top + 18 * i, line, bold=i == 0, size=14 if i == 0 else 12)
        )
    return "".join(parts)


def arrow(x: float, y: float, to_x: float, to_y: float, colour: str = GREY, bend: float = 0) -> str:
    """An arrow; `bend` moves its middle up."""
    curve = f"M{x:g},{y:g} Q{(x + to_x) / 2:g},{(y + to_y) / 2 - bend:g} {to_x:g},{to_y:g}"
    line = f"stroke='{colour}' stroke-width='1.6' marker-end='url(#tip)'"
    return f"<path d='{curve}' fill='none' {line}/>"


def tree(
    node: Tree,
    x: float,
    y: float,
    width: float,
    marked: tuple[int, ...] | None = None,
    colour: str = ORANGE,
    down: float = 46,
) -> str:
    """A term as a tree below (x, y); the subtree at `marked` is coloured."""
    head, children = node
    here = marked == ()
    parts = []
    for i, child in enumerate(children):
        share = width / len(children)
        to_x, to_y = x - width / 2 + share * (i + 0.5), y + down
        stroke = f"stroke='{colour if here else '#888'}' stroke-width='{2.2 if here else 1.3}'"
        parts.append(f"<line x1='{x:g}' y1='{y:g}' x2='{to_x:g}' y2='{to_y:g}' {stroke}/>")
        below = None
        if marked is not None:
            below = () if here else marked[1:] if marked[0] == i else None
        parts.append(tree(child, to_x, to_y, share, below, colour, down))
    line = f"stroke='{colour if here else '#888'}' stroke-width='{2.2 if here else 1.3}'"
    parts.append(f"<circle cx='{x:g}' cy='{y:g}' r='15' fill='#fff' {line}/>")
    parts.append(text(x, y + 5, head, colour if here else "#222", mono=True))
    return "".join(parts)


def leaf(name: str) -> Tree:
    return name, []


def bar(x: float, y: float, probability: float, name: str) -> str:
    """The probability of an action, as a bar before its name."""
    width = max(2.0, 300 * probability)
    rect = f"<rect x='{x:g}' y='{y - 11:g}' width='{width:g}' height='14' rx='3' fill='{BLUE}'/>"
    per_cent = text(x - 8, y + 1, f"{100 * probability:.0f} %", GREY, anchor="end", size=12)
    return per_cent + rect + text(x + 162, y + 1, name, anchor="start", size=13)


GOAL: Tree = (
    "=",
    [("*", [leaf("x"), ("T", [leaf("y"), leaf("x")])]), ("*", [leaf("y"), leaf("x")])],
)


def state() -> tuple[int, int, list[str]]:
    """A state of the game, and what may be done in it, as the bundled weights of aim judge it."""
    parts = [text(150, 28, "the state: x * T(y,x) = y * x", bold=True)]
    parts.append(tree(GOAL, 150, 60, 264, (1,)))
    parts.append(text(252, 86, "cursor", ORANGE, size=12))
    parts.append(text(570, 28, "the legal actions, and what the policy gives them", bold=True))
    actions = [(0.451, "rewrite by x * T(y,x) = y * x, from the right")]
    actions += [(0.285, "cursor to argument 2"), (0.233, "cursor to argument 1")]
    actions += [(0.016, "rewrite by x * (x \\ y) = y, from the right"), (0.015, "15 others")]
    parts += [bar(380, 70 + 30 * i, p, name) for i, (p, name) in enumerate(actions)]
    return 840, 236, parts


def network() -> tuple[int, int, list[str]]:
    """How a tree network reads a state."""
    parts = [tree(GOAL, 150, 40, 264, (1,))]
    parts.append(arrow(296, 90, 352, 90))
    words = ("vector of a node", "the network of its head,", "given its arguments' vectors")
    parts += [box(360, 50, 190, 80, *words), arrow(552, 90, 582, 90)]
    parts += [box(590, 50, 110, 80, "state vector", "that of the root"), arrow(702, 90, 732, 90)]
    parts.append(box(740, 50, 86, 80, "policy", "a number", "an action"))
    parts.append(
        text(590, 168, "from the leaves to the root; a subterm that comes again is", GREY, size=12)
    )
    parts.append(text(590, 186, "computed once; the cursor is a node of its own", GREY, size=12))
    return 840, 212, parts


def loop() -> tuple[int, int, list[str]]:
    """Self-imitation of the shortest solutions."""
    parts = [box(30, 40, 220, 64, "1  play", "episodes, sampled from the policy")]
    parts.append(box(310, 40, 210, 64, "2  certify", "the kernel checks each solution"))
    parts.append(box(590, 40, 210, 64, "3  keep", "the shortest for each problem"))
    parts.append(box(310, 170, 210, 64, "4  imitate", "make its steps more probable"))
    parts += [arrow(252, 72, 304, 72), arrow(522, 72, 584, 72)]
    parts += [arrow(695, 106, 526, 200, bend=-40), arrow(304, 204, 135, 110, bend=-40)]
    parts.append(
        text(415, 268, "problems solved well open the next level of harder ones", GREY, size=12)
    )
    return 830, 290, parts


def rewrite() -> tuple[int, int, list[str]]:
    """One rewrite: match, substitute, replace."""
    before: Tree = ("*", [("i", [leaf("a")]), ("*", [leaf("e"), leaf("b")])])
    after: Tree = ("*", [("i", [leaf("a")]), leaf("b")])
    parts = [tree(before, 130, 60, 200, (1,)), tree(after, 690, 60, 200, (1,), GREEN)]
    parts.append(text(130, 30, "i(a) * (e * b)", mono=True))
    parts.append(text(690, 30, "i(a) * b", mono=True))
    parts.append(arrow(270, 80, 550, 80))
    parts.append(text(410, 66, "e * x = x, from left to right", bold=True))
    parts.append(text(410, 104, "at position 2, with b for x", GREY, size=13))
    return 830, 190, parts


def meet() -> tuple[int, int, list[str]]:
    """Search from both sides."""
    parts = []
    left = [
        (80, 120, "s"),
        (190, 60, ""),
        (190, 120, ""),
        (190, 180, ""),
        (300, 90, ""),
        (300, 150, ""),
    ]
    right = [(750, 120, "t"), (640, 70, ""), (640, 170, ""), (530, 120, ""), (530, 60, "")]
    both = (415, 120)
    for a, b in ((0, 1), (0, 2), (0, 3), (2, 4), (2, 5)):
        parts.append(arrow(left[a][0] + 14, left[a][1], left[b][0] - 14, left[b][1], BLUE))
    for a, b in ((0, 1), (0, 2), (1, 4), (2, 3)):
        parts.append(arrow(right[a][0] - 14, right[a][1], right[b][0] + 14, right[b][1], GREEN))
    parts.append(arrow(left[4][0] + 14, left[4][1], both[0] - 16, both[1] - 5, BLUE))
    parts.append(arrow(right[3][0] - 14, right[3][1], both[0] + 18, both[1], GREEN))
    for nodes, colour in ((left, BLUE), (right, GREEN), ([(*both, "")], ORANGE)):
        for x, y, name in nodes:
            parts.append(
                f"<circle cx='{x}' cy='{y}' r='12' fill='#fff' stroke='{colour}' stroke-width='2'/>"
            )
            parts.append(text(x, y + 5, name, mono=True))
    parts.append(text(415, 160, "the same term: proved", ORANGE, bold=True))
    parts.append(text(190, 222, "terms equal to the left side", BLUE, size=13))
    parts.append(text(640, 222, "terms equal to the right side", GREEN, size=13))
    return 830, 244, parts


def pair() -> tuple[int, int, list[str]]:
    """A critical pair."""
    parts = [text(415, 30, "(i(x) * x) * y", mono=True, size=16)]
    parts += [arrow(370, 42, 200, 96, BLUE), arrow(460, 42, 630, 96, GREEN)]
    parts.append(text(190, 66, "i(x) * x = e", BLUE, mono=True, size=13))
    parts.append(text(655, 66, "(x * y) * z = x * (y * z)", GREEN, mono=True, size=13))
    parts.append(text(180, 118, "e * y", mono=True, size=16))
    parts.append(text(650, 118, "i(x) * (x * y)", mono=True, size=16))
    parts.append(arrow(180, 128, 180, 160, BLUE))
    parts.append(text(236, 150, "e * x = x", BLUE, mono=True, size=13))
    parts.append(text(180, 180, "y", mono=True, size=16))
    parts.append(
        box(
            300,
            186,
            230,
            52,
            "i(x) * (x * y) = y",
            "a new rule, true in every group",
            colour=ORANGE,
        )
    )
    parts += [arrow(196, 182, 292, 206, ORANGE), arrow(640, 128, 538, 206, ORANGE)]
    return 830, 256, parts


def trust() -> tuple[int, int, list[str]]:
    """What has to be trusted."""
    parts = [box(20, 30, 170, 50, "networks, searches"), box(20, 96, 170, 50, "other provers")]
    parts.append(box(20, 162, 170, 50, "model finders"))
    parts += [arrow(192, 55, 292, 74), arrow(192, 121, 292, 84), arrow(192, 187, 292, 187)]
    parts.append(box(300, 50, 120, 56, "derivation", "a claim"))
    parts.append(box(300, 160, 120, 56, "tables", "a claim"))
    parts += [arrow(422, 78, 502, 78), arrow(422, 188, 502, 188)]
    parts.append(box(510, 50, 120, 56, "certify", "every step", colour=GREEN))
    parts.append(box(510, 160, 120, 56, "check", "every equation", colour=GREEN))
    parts += [arrow(632, 78, 702, 78, GREEN), arrow(632, 188, 702, 188, GREEN)]
    parts.append(box(710, 50, 120, 56, "Proof", colour=GREEN))
    parts.append(box(710, 160, 120, 56, "Countermodel", colour=GREEN))
    parts.append(text(570, 134, "the kernel: short, and all that is trusted", GREEN, size=12))
    return 850, 236, parts


PICTURES = {
    "how-state": (state, "An equation as a tree with a cursor, and its actions as bars"),
    "how-network": (network, "From the tree of a state to the policy"),
    "how-loop": (loop, "Play, certify, keep the shortest, imitate"),
    "how-rewrite": (rewrite, "A rewrite replaces one subterm"),
    "how-meet": (meet, "Two frontiers that meet in a term"),
    "how-pair": (pair, "A term that two rules rewrite differently gives a new rule"),
    "how-trust": (trust, "Claims become proofs through the kernel only"),
}


def main(directory: Path) -> None:
    for name, (draw, title) in PICTURES.items():
        width, height, parts = draw()
        view = f"viewBox='0 0 {width} {height}' role='img' {FONT}"
        ground = f"<rect width='{width}' height='{height}' rx='12' fill='#fff' stroke='#ddd'/>"
        head = f"<svg xmlns='http://www.w3.org/2000/svg' {view}><title>{title}</title>"
        lines = [head, f"<defs>{TIP}</defs>", ground, *parts, "</svg>"]
        (directory / f"{name}.svg").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/figures"))
