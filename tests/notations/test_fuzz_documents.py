"""Files from the wild: mutations of real ones give a document or an error with its place."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from threesil.errors import InputError
from threesil.notations.document import NOTATIONS
from threesil.notations.lines import decoded
from threesil.notations.reading import parse
from threesil.notations.writing import write

PIECES = [b"(", b")", b"[", b"]", b",", b".", b"'", b'"', b"=", b"!=", b"~", b"-", b"!", b"?", b"#"]
PIECES += [
    b"%",
    b"/*",
    b"*/",
    b"\\",
    b"\n",
    b"\r",
    b"\x00",
    b"\xff",
    b"\xc3\xa4",
    b"X",
    b"x",
    b"$",
    b":",
]
PIECES += [b"cnf(", b"fof(", b"formulas(", b"end_of_list.", b"op(", b"all ", b"exists ", b"Axiom "]
PIECES += [b"include('a').", b"%BEGIN", b"Infix ", b"Constants ", b"negated_conjecture", b"| "]
SEEDS = {
    "tptp": b"% c\ncnf(a, axiom, ( mul(X,e) = X )).\nfof('b c', conjecture, ! [X] : "
    b"? [Y] : mul(X,Y) = 'f g'(1), file(a,[b])).\ncnf(n, lemma, a = b).\n",
    "ladr": b'set(auto).\nop(400, infix, ["o", p]).\nformulas(sos).\n(x * y)\' = -y # label("a").\n'
    b"end_of_list.\nformulas(goals).\nall x exists y (x o y = e).\nend_of_list.\n",
    "theory": b'Theory t: T.\nConstants e, "c d".\nInfix 2 o.\nAxiom "a b": e * x\' = -x o y.\n'
    b"Rule r: f(x) -> e.\nDefinition d(x) := x.\nTheorem t: exists y: x * y = e.\n",
}


def mutated(content: bytes, random: Random) -> bytes:
    """The content with some parts cut, doubled, moved or put in."""
    for _ in range(random.randint(1, 6)):
        start = random.randint(0, len(content))
        end = min(len(content), start + random.choice([0, 1, 1, 5, 40]))
        where = random.randint(0, len(content))
        part = random.choice([b"", content[start:end], random.choice(PIECES), random.randbytes(2)])
        if random.random() < 0.5:
            content = content[:start] + part + content[end:]
        else:
            content = content[:where] + part + content[where:]
    return content


def check(content: bytes, name: str) -> bool:
    """Whether a document was read; what was read can be written."""
    try:
        document = parse(decoded(content, Path(f"{name}.txt")), name)
    except InputError as error:
        assert str(error)
        assert error.line is not None and error.line >= 1
        assert error.column is not None and error.text is not None
        assert 1 <= error.column <= len(error.text) + 1
        return False
    for notation in NOTATIONS:
        parse(write(document, notation), name)
    return True


@pytest.mark.parametrize("name", SEEDS)
def test_mutations(name: str) -> None:
    random = Random(7)
    read = sum(check(mutated(SEEDS[name], random), name) for _ in range(1500))
    assert read > 20


@pytest.mark.parametrize("start", [b"cnf(a, axiom, ", b"formulas(sos).\n", b"Axiom a: ", b""])
def test_random_bytes(start: bytes) -> None:
    random = Random(8)
    for _ in range(500):
        check(start + random.randbytes(random.randint(0, 60)), "bytes")
        check(start + b" ".join(random.choices(PIECES, k=random.randint(0, 25))), "pieces")


@pytest.mark.data
def test_mutations_of_real_files(data: Path) -> None:
    random = Random(9)
    files = sorted((data / "ueq" / "Axioms").glob("*.ax"))[:12]
    files += sorted((data / "provers").glob("*.in")) + sorted((data / "provers").glob("*.p"))
    for path in files:
        content = path.read_bytes()[-2500:]
        for _ in range(20):
            check(mutated(content, random), path.stem)
