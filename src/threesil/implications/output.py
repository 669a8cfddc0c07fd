"""What is known of all pairs, for people and for programs.

    matrix.npz         status: 1 implied, -1 refuted, 0 open; by: the certificate (see below)
    implications.csv   the status again: a row and a column for each equation; 1, 0 or empty
    equations.csv      the equations with their classes, and how many each implies
    open.csv           the pairs that are left, if they are not too many
    graph.png          the matrix as a picture; needs the extra `plots`

`by` of a pair (i, j): if it is refuted, the line of a model in models.jsonl, from 1; or minus the
line of a system in systems.jsonl, of an equation that implies i, which tells the sides of one apart
that j implies. If it is implied: 0 if i is j; minus the line of a proof in proofs.jsonl, which may
be that of the mirror images; or k > 0 if it follows from two others, that i implies equation k and
that k implies j, the latter by a proof.
"""

from __future__ import annotations

import csv
import io
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from threesil.errors import InputError
from threesil.files import opened, write_atomically
from threesil.implications.equations import EquationList, Pair
from threesil.implications.relation import Relation
from threesil.notations.infix import format_equation

MATRIX: Final = "matrix.npz"
_OPEN: Final = "open.csv"
_TABLES: Final = ("implications.csv", "equations.csv", _OPEN)
_PICTURE: Final = "graph.png"
_MOST_OPEN: Final = 1_000_000  # pairs that are listed
_PIXELS: Final = 900  # of the picture, each way
_COLOURS: Final = np.array([(217, 226, 236), (38, 70, 128), (226, 61, 40)], np.float32)

_DAMAGED: Final = (  # what a file of NumPy may raise that is none, or a damaged one
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    SyntaxError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    tokenize.TokenError,
)

Matrix = NDArray[np.int8]
By = NDArray[np.int32]


def certificates(n: int, edges: Iterable[tuple[Pair, int]], by_model: By) -> tuple[Matrix, By]:
    """Status and certificate of each pair, from proofs (with their lines) and models."""
    outgoing: list[tuple[int, int, int]] = [(k, j, line) for (k, j), line in edges]
    by = by_model.copy()
    reached = np.eye(n, dtype=bool)  # transposed: row j, column i
    front = reached.copy()
    while front.any():
        following = np.zeros_like(front)
        for k, j, line in outgoing:
            new = front[k] & ~reached[j]
            if not new.any():
                continue
            reached[j] |= new
            following[j] |= new
            by[new, j] = k + 1
            if new[k]:
                by[k, j] = -line
        front = following
    status = np.where(by_model != 0, -1, 0).astype(np.int8)
    status[reached.T] = 1
    return status, by


def write_all(path: Path, given: EquationList, status: Matrix, by: By) -> list[str]:
    """Writes all files; what could not be written is said."""
    content = io.BytesIO()
    np.savez_compressed(content, status=status, by=by)
    write_atomically(path / MATRIX, content.getvalue())
    tables = _tables(given, status)
    for name, text in tables.items():
        write_atomically(path / name, text)
    notes = []
    if _OPEN not in tables:
        (path / _OPEN).unlink(missing_ok=True)
        count = int((status == 0).sum())
        notes.append(f"no open.csv: {count:,} pairs are open, it lists {_MOST_OPEN:,} at the most")
    try:
        write_atomically(path / _PICTURE, _encoded(_pixels(status)))
    except ImportError:
        notes.append("graph.png needs matplotlib: pip install 'threesil[plots]'")
    return notes


def differing(path: Path, given: EquationList, status: Matrix, by: By) -> list[str]:
    """The names of files that are there and say something else than these matrices."""
    stored = read_matrices(path, len(given))
    found = []
    if stored is not None and not (
        np.array_equal(stored[0], status) and np.array_equal(stored[1], by)
    ):
        found.append(MATRIX)
    tables = _tables(given, status)
    for name in _TABLES:
        if (path / name).exists() and (path / name).read_bytes() != tables.get(name):
            found.append(name)
    if (path / _PICTURE).exists() and not _shows(path / _PICTURE, _pixels(status)):
        found.append(_PICTURE)
    return found


def read_matrices(path: Path, n: int) -> tuple[Matrix, By] | None:
    """Status and certificate of each pair of n equations that were written, if they were."""
    file = path / MATRIX
    if not file.exists():
        return None
    try:
        with opened(file) as content, np.load(content, allow_pickle=False) as stored:
            for name, kind in (("status", np.int8), ("by", np.int32)):
                with stored.zip.open(f"{name}.npy") as array:
                    shape, _, dtype = _header(array)
                if shape != (n, n) or dtype != kind:  # before anything is allocated
                    raise ValueError(f"its {name} should be {n} x {n} numbers")
            return stored["status"], stored["by"]
    except _DAMAGED as error:
        message = f"a damaged matrix: {error}; --out without --verify writes it again"
        raise InputError(message, source=str(file)) from None


def _header(array: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, order and type of an array in a file."""
    version = np.lib.format.read_magic(array)
    if version != (1, 0):
        raise ValueError("it has another version")
    return np.lib.format.read_array_header_1_0(array)


def _tables(given: EquationList, status: Matrix) -> dict[str, bytes]:
    """The files of text, by name; the last one only if it is not too long."""
    tables = {"implications.csv": _matrix_csv(given, status)}
    tables["equations.csv"] = _equations_csv(given, status)
    if int((status == 0).sum()) <= _MOST_OPEN:
        tables[_OPEN] = _open_csv(given, status)
    return tables


def status_of(relation: Relation) -> Matrix:
    """The matrix of a relation."""
    n = relation.n
    proved = np.unpackbits(relation.proved, axis=1, count=n).astype(np.int8)
    refuted = np.unpackbits(relation.refuted, axis=1, count=n).astype(np.int8)
    return proved - refuted


def _matrix_csv(given: EquationList, status: Matrix) -> bytes:
    words = np.array([b"", b"1", b"0"])  # open, implied, refuted
    names = [_quoted(equation.name) for equation in given.equations]
    rows = [b",".join((b"", *names))]
    rows += [
        b",".join((name, *words[row].tolist())) for name, row in zip(names, status, strict=True)
    ]
    return b"\n".join(rows) + b"\n"


def _quoted(name: str) -> bytes:
    """A name as a field of CSV."""
    plain = name.replace('"', '""')
    return (f'"{plain}"' if plain != name or "," in name or "\n" in name else name).encode()


def _equations_csv(given: EquationList, status: Matrix) -> bytes:
    implied = status == 1
    alike = implied & implied.T
    first = alike.argmax(axis=1)
    rows: list[Sequence[object]] = [
        ("name", "equation", "first of its class", "mirror image", "implies", "implied by", "open")
    ]
    names = [equation.name for equation in given.equations]
    for i, equation in enumerate(given.equations):
        image = given.mirror[i]
        rows.append(
            (
                equation.name,
                format_equation(equation, given.signature),
                names[int(first[i])],
                "" if image is None else names[image],
                int(implied[i].sum()) - 1,
                int(implied[:, i].sum()) - 1,
                int((status[i] == 0).sum()),
            )
        )
    return _csv(rows)


def _open_csv(given: EquationList, status: Matrix) -> bytes:
    rows: list[Sequence[object]] = [("i", "j", "equation i", "equation j")]
    shown = [format_equation(equation, given.signature) for equation in given.equations]
    for i, j in np.argwhere(status == 0).tolist():
        names = given.equations[i].name, given.equations[j].name
        rows.append((*names, shown[i], shown[j]))
    return _csv(rows)


def _csv(rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _pixels(status: Matrix) -> NDArray[np.uint8]:
    """Equations from strong to weak, row i, column j: refuted pale, implied blue, open red."""
    implied = status == 1
    counts = implied.sum(axis=1)
    first = (implied & implied.T).argmax(axis=1)
    order = np.lexsort((np.arange(len(status)), first, -counts))
    sorted_ = status[np.ix_(order, order)]
    n = len(status)
    scale = -(-n // _PIXELS)
    padded = np.full((-(-n // scale) * scale,) * 2, -1, np.int8)
    padded[:n, :n] = sorted_
    blocks = padded.reshape(len(padded) // scale, scale, -1, scale)
    share = (blocks == 1).mean(axis=(1, 3))[..., None]
    left = (blocks == 0).any(axis=(1, 3))[..., None]
    pixels = np.where(left, _COLOURS[2], share * _COLOURS[1] + (1 - share) * _COLOURS[0])
    pixels = np.round(pixels / 8) * 8  # fewer colours make a smaller file
    grow = max(1, _PIXELS // (2 * len(pixels)))
    large = np.repeat(np.repeat(pixels, grow, axis=0), grow, axis=1)
    clipped: NDArray[np.uint8] = np.clip(large, 0, 255).astype(np.uint8)
    return clipped


def _encoded(pixels: NDArray[np.uint8]) -> bytes:
    import matplotlib.image

    content = io.BytesIO()
    matplotlib.image.imsave(content, pixels, format="png")
    return content.getvalue()


def _shows(path: Path, pixels: NDArray[np.uint8]) -> bool:
    """Whether a picture has these pixels; one that nobody can look at without a library may."""
    try:
        import matplotlib.image
    except ImportError:
        return True
    try:
        stored = matplotlib.image.imread(path)
    except (OSError, ValueError, SyntaxError):  # as the library says that it is damaged
        return False
    return np.array_equal(np.round(stored[..., :3] * 255), pixels)
