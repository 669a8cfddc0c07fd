"""Draw docs/figures/house.svg and docs/house.md from the imports between the rooms of the package.

Usage: draw_house.py [--check]

The layers are those of pyproject.toml, the arrows the imports that are there, the sentences those
of the rooms. An arrow that follows from others is left out. With --check nothing is written: the
exit code says whether what is there is what would be drawn.
"""

import ast
import sys
import tomllib
from pathlib import Path

import grimp
from draw_figures import BLUE, FONT, GREY, TIP, arrow, box

ROOT = Path(__file__).parents[1]
PACKAGE = "threesil"
WIDTH, BOX, HEIGHT, STEP = 900, 150, 40, 78
PAGE = """\
# The house

The package has {count} rooms: its subpackages, and `errors`. A room imports those below it, never
those above; `make lint` checks that. From other rooms it uses what their `__init__` names. An arrow
that follows from others is left out.

![The rooms and their imports](figures/house.svg)

| room | what it is |
|---|---|
{rows}

The kernel is all that has to be trusted ([kernel.md](kernel.md)). The core in C++ is in `native/`
([engine.md](engine.md)). This page is made by `tools/draw_house.py`.
"""


def layers() -> list[list[str]]:
    """The rooms from the top to the bottom."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (found,) = (
        contract["layers"]
        for contract in config["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    )
    return [[name.strip(" ()") for name in layer.split("|")] for layer in found]


def imports(rooms: list[str]) -> dict[str, set[str]]:
    """Which other rooms each room imports."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    found: dict[str, set[str]] = {room: set() for room in rooms}
    for module in graph.modules:
        room = module.removeprefix(f"{PACKAGE}.").split(".")[0]
        if room in found:
            for other in graph.find_modules_directly_imported_by(module):
                target = other.removeprefix(f"{PACKAGE}.").split(".")[0]
                if target in found and target != room:
                    found[room].add(target)
    return found


def reduced(graph: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The arrows that do not follow from others."""

    def below(room: str) -> set[str]:
        return graph[room].union(*(below(other) for other in graph[room]))

    return [
        (room, other)
        for room, others in graph.items()
        for other in sorted(others)
        if not any(other in below(between) for between in others)
    ]


def sentence(room: str) -> str:
    """The first sentence of a room."""
    path = ROOT / "src" / PACKAGE / room
    module = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(module.read_text())) or ""
    return " ".join(text.split("\n\n")[0].split())


def picture(rows: list[list[str]], arrows: list[tuple[str, str]]) -> str:
    """The house as SVG."""
    places: dict[str, tuple[float, float]] = {}
    for number, row in enumerate(rows):
        gap = WIDTH / len(row)
        for k, room in enumerate(row):
            shift = (-1) ** number * 110 if len(row) == 1 else 0  # so that arrows pass beside
            places[room] = gap * (k + 0.5) + shift, 20 + STEP * number
    parts = [f"<defs>{TIP}</defs>"]
    for room, other in arrows:
        (x, y), (to_x, to_y) = places[room], places[other]
        parts.append(arrow(x, y + HEIGHT, to_x, to_y - 2, GREY))
    for room, (x, y) in places.items():
        parts.append(box(x - BOX / 2, y, BOX, HEIGHT, room, colour=BLUE))
    height = STEP * len(rows)
    ground = f"<rect width='{WIDTH}' height='{height}' fill='white'/>"
    frame = f"xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' {FONT}"
    return f"<svg {frame}>{ground}{''.join(parts)}</svg>\n"


def main() -> int:
    rows = layers()
    rooms = [room for row in rows for room in row]
    table = "\n".join(f"| `{room}` | {sentence(room)} |" for room in rooms)
    page = PAGE.format(count=len(rooms), rows=table)
    wanted = {
        ROOT / "docs" / "house.md": page,
        ROOT / "docs" / "figures" / "house.svg": picture(rows, reduced(imports(rooms))),
    }
    old = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        for path in old:
            print(f"{path.relative_to(ROOT)} is not what is drawn now: run {Path(__file__).name}")
        return 1 if old else 0
    for path in old:
        path.write_text(wanted[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
