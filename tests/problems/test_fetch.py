"""Fetching problem sets: from a host that fails, from directories, and what is made of them."""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import subprocess
import tarfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

import commands
from problems.faulty import host
from threesil.errors import InputError
from threesil.problems.fetch import DOWNLOADS, NoConnection, Source, fetch, is_there, store
from threesil.problems.fetch.sources import SOURCES, recorded
from threesil.problems.fetch.ueq import fetch_ueq

ONE, TWO = b"x + y\ny + x\n" * 3000, b"0\n1\n" * 500


def joined(files: Mapping[str, bytes]) -> dict[str, str]:
    return {"toys/all.tsv.gz": "".join(files[name].decode() for name in ("one", "in/two"))}


def toys(files: tuple[str, ...] = ("one", "in/two")) -> Source:
    digest = store.text_digest((ONE + TWO).decode())
    below = "" if files else "problems"
    make = joined if files else packed
    made = {"toys/all.tsv.gz": digest}
    return Source("toys", "", "somebody/toys", "c0ffee", "none", make, made, files, below)


def packed(files: Mapping[str, bytes]) -> dict[str, str]:
    return joined({name.removeprefix("problems/"): text for name, text in files.items()})


FILES = {"/somebody/toys/c0ffee/one": ONE, "/somebody/toys/c0ffee/in/two": TWO}


def listing(directory: Path) -> set[str]:
    return {str(p.relative_to(directory)) for p in directory.rglob("*") if p.is_file()}


WHOLE = {"SHA256SUMS", "toys/all.tsv.gz"}


def test_files_are_fetched_once(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    with host(FILES) as server:
        assert fetch(toys(), tmp_path, server.address, progress=lambda *now: seen.append(now))
        assert not fetch(toys(), tmp_path, server.address)
        assert [path for path, _ in server.asked] == list(FILES)
    assert seen[-1] == ("c0ffee/in/two", len(TWO), len(TWO))
    assert listing(tmp_path) == WHOLE
    assert gzip.decompress((tmp_path / "toys/all.tsv.gz").read_bytes()) == ONE + TWO
    digest = hashlib.sha256((tmp_path / "toys/all.tsv.gz").read_bytes()).hexdigest()
    assert (tmp_path / "SHA256SUMS").read_text() == f"{digest}  toys/all.tsv.gz\n"


@pytest.mark.parametrize(
    "faults",
    [
        ["cut"],
        ["cut", "cut", "cut", "cut", "cut"],
        ["cut", "from the start"],
        ["stall"],
        ["busy", "busy"],
        ["unknown length"],
        ["none", "cut"],
    ],
    ids=" ".join,
)
def test_a_host_that_fails_for_a_while(faults: list[str], tmp_path: Path) -> None:
    with host(FILES, list(faults)) as server:
        assert fetch(toys(), tmp_path, server.address, patience=0.3)
        if faults[0] in ("cut", "stall"):
            assert server.asked[1] == ("/somebody/toys/c0ffee/one", f"bytes={len(ONE) // 2}-")
    assert listing(tmp_path) == WHOLE


@pytest.mark.parametrize(
    ("faults", "message"),
    [
        (["busy"] * 20, "answers 503"),
        (["cut", *["stall"] * 20], "."),
        (["circle"] * 20, "in a circle"),
        (["none", "cut", *["busy"] * 20], "answers 503"),
    ],
    ids=["busy", "stalled", "circle", "half"],
)
def test_a_host_that_fails_for_good(faults: list[str], message: str, tmp_path: Path) -> None:
    with host(FILES, list(faults)) as server, pytest.raises(NoConnection, match=message) as error:
        fetch(toys(), tmp_path, server.address, patience=0.1)
    assert "git clone https://github.com/somebody/toys" in str(error.value)
    assert all(name.startswith((DOWNLOADS, ".lock")) for name in listing(tmp_path))
    with host(FILES) as server:  # what has come is not asked for again
        assert fetch(toys(), tmp_path, server.address)
        ranges = [asked for _, asked in server.asked]
        assert len(server.asked) == (1 if faults[0] == "none" else 2)
        assert (ranges[0] is not None) == ("cut" in faults)
    assert listing(tmp_path) == WHOLE


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with host({}) as server, pytest.raises(NoConnection, match="is not there"):
        fetch(toys(), tmp_path, server.address)
    with pytest.raises(NoConnection, match="refused"):
        fetch(toys(), tmp_path, "http://127.0.0.1:9", patience=0.05)


@pytest.mark.parametrize("fault", ["nowhere", "endless"])
def test_what_will_not_change_is_asked_for_once(fault: str, tmp_path: Path) -> None:
    message = "can't be asked for" if fault == "nowhere" else "more than 200 MB"
    with host(FILES, [fault] * 9) as server, pytest.raises(NoConnection, match=message):
        fetch(toys(), tmp_path, server.address)
    assert len(server.asked) == 1


@pytest.mark.parametrize("address", ["http://[x", "http://127.0.0.1:port", "http://127.0.0.1:9/ü"])
def test_what_is_no_address(address: str, tmp_path: Path) -> None:
    with pytest.raises(NoConnection, match="can't be asked for"):
        fetch(toys(), tmp_path, address)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")
def test_a_full_disk_is_no_fault_of_the_host(tmp_path: Path) -> None:
    part = tmp_path / DOWNLOADS / "somebody/toys/c0ffee/one.part"
    part.parent.mkdir(parents=True)
    part.symlink_to("/dev/full")
    with host(FILES) as server, pytest.raises(OSError, match="No space left") as error:
        fetch(toys(), tmp_path, server.address)
    assert error.value.filename == str(part)
    assert len(server.asked) == 1


def test_wrong_bytes_leave_nothing(tmp_path: Path) -> None:
    with host(FILES, ["none", "wrong"]) as server:
        with pytest.raises(InputError, match=r"is not somebody/toys at c0ffee.*SHA-256"):
            fetch(toys(), tmp_path, server.address)
        assert listing(tmp_path) == set()
        assert fetch(toys(), tmp_path, server.address)


def archive(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def test_archives(tmp_path: Path) -> None:
    inside = {"toys-c0ffee/problems/one": ONE, "toys-c0ffee/problems/in/two": TWO}
    whole = archive({"toys-c0ffee/README": b"", **inside})
    place = "/somebody/toys/tar.gz/c0ffee"
    for damaged in (whole[: len(whole) // 2], b"<html>", b"", archive({"a/b": ONE})):
        with host({place: damaged}) as server, pytest.raises(InputError, match="nothing of it"):
            fetch(toys(()), tmp_path, server.address)
        assert listing(tmp_path) == set()
    with host({place: whole}, ["cut"]) as server:
        assert fetch(toys(()), tmp_path, server.address, patience=0.3)
    assert listing(tmp_path) == WHOLE


def test_directories_as_mirrors(tmp_path: Path) -> None:
    clone = tmp_path / "clones" / "toys"
    (clone / "in").mkdir(parents=True)
    with pytest.raises(InputError, match="neither a clone"):
        fetch(toys(), tmp_path / "a", str(clone.parent))
    (clone / "one").write_bytes(ONE)
    (clone / "in" / "two").write_bytes(TWO)
    for number, origin in enumerate((clone.parent, clone)):
        assert fetch(toys(), tmp_path / f"a{number}", str(origin))
    mirror = tmp_path / "mirror"
    for name, content in FILES.items():
        path = mirror / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    assert fetch(toys(), tmp_path / "b", str(mirror))
    (mirror / "somebody/toys/c0ffee/one").write_bytes(ONE[:-2])
    with pytest.raises(InputError, match=r"SHA-256.*git checkout c0ffee"):
        fetch(toys(), tmp_path / "c", str(mirror))
    with pytest.raises(InputError, match="there is no directory"):
        fetch(toys(), tmp_path / "c", str(tmp_path / "nowhere"))


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "toys/all.tsv.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(b"mine\n"))
    with host(FILES) as server:
        with pytest.raises(InputError, match="older layout"):
            fetch(toys(), tmp_path, server.address)
        assert server.asked == []  # before anything is fetched
        assert gzip.decompress(path.read_bytes()) == b"mine\n"
        # What an earlier version has made is replaced.
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        (tmp_path / "SHA256SUMS").write_text(f"{digest}  toys/all.tsv.gz\n")
        assert fetch(toys(), tmp_path, server.address)
        path.write_bytes(path.read_bytes()[:-20])  # half a file
        assert not is_there(toys(), tmp_path)
        (tmp_path / "SHA256SUMS").write_text("what?\n")
        with pytest.raises(InputError, match="fetch again"):
            fetch(toys(), tmp_path, server.address)


# What is made of the repositories has the recorded problems, line by line


def upstream(name: str, data: Path) -> dict[str, bytes]:
    """The files of a repository, as far as the recorded problems tell them."""

    def rows(file: str) -> list[str]:
        content = (data / file).read_bytes()
        text = gzip.decompress(content) if file.endswith(".gz") else content
        return text.decode().splitlines()

    if name == "aim":
        theorems = dict(row.split("\t") for row in rows("aim/problems.tsv"))
        theorems |= dict.fromkeys(recorded("aim-test.txt").split(), "e = e")
        article = "ARTICLE\n\nKnown id1: x = x.\n\nTheorem {}: {}.\nAdmitted.\n"
        return {f"aimleapprobs/{n}": article.format(n, t).encode() for n, t in theorems.items()}
    if name == "robinson":
        return {
            f"data_arith_lopl/{part}": "".join(
                f"({', '.join(row.split(chr(9))[:1]).replace('S', ' SUC ')}),"
                f"{','.join(row.split(chr(9))[1:])}\n"
                for row in rows(f"robinson/{part}.tsv.gz")
            ).encode()
            for part in ("train", "valid", "test")
        }
    if name == "etp":
        return {
            "data/equations.txt": (data / "etp/equations.txt")
            .read_bytes()
            .replace(b"*", "◇".encode())
        }
    files = {}
    for number, gaps in enumerate(recorded("polynomial.txt.gz").splitlines(), 1):
        sides: tuple[list[str], list[str]] = ([], [])
        for gap, row in zip(gaps.split(), rows(f"polynomial/poly{number}.tsv.gz"), strict=False):
            for side, text in zip(sides, row.split("\t"), strict=True):
                side += ["x"] * (int(gap) - 1) + [text]
        for side, ending in zip(sides, ("before", "after"), strict=True):
            text = "".join(f"{line}\n" for line in side)
            files[f"data/polynomial/poly{number}/valid.{ending}"] = text.encode()
    return files


@pytest.mark.data
@pytest.mark.parametrize("name", SOURCES)
def test_what_is_made_contains_what_is_recorded(name: str, data: Path) -> None:
    made = SOURCES[name].make(upstream(name, data))
    assert set(made) == set(SOURCES[name].made)
    for file, text in made.items():
        if file == "aim/test.tsv":
            assert text == "".join(f"{n}\te = e\n" for n in recorded("aim-test.txt").split())
            continue
        content = (data / file).read_bytes()
        known = gzip.decompress(content).decode() if file.endswith(".gz") else content.decode()
        if name == "polynomial":  # the recorded lines first; a test set may have grown since
            assert text.splitlines()[:3000] == known.splitlines()[:3000]
        else:
            assert text == known


@pytest.mark.data
@pytest.mark.parametrize("name", SOURCES)
def test_what_has_not_grown_has_the_digests_that_come_along(name: str, data: Path) -> None:
    grown = {"aim/test.tsv", "robinson/test.tsv.gz", *SOURCES["polynomial"].made}
    for file in SOURCES[name].made.keys() - grown:
        assert store.holds(data / file, SOURCES[name].made[file]), file


@pytest.mark.slow  # a thousand files are forced to disk
@pytest.mark.data
def test_splits_of_unit_equalities(data: Path, tmp_path: Path) -> None:
    sizes = fetch_ueq(tmp_path, data / "ueq")
    assert {"train": 573, "dev": 270, "sat_dev": 129}.items() <= sizes.items()
    for split in ("train", "dev", "sat_dev"):
        made = (tmp_path / f"ueq/{split}.txt").read_text()
        assert made == (data / f"ueq/{split}.txt").read_text()
    text = (data / "ueq/Problems/GRP/GRP022-2.p").read_text()
    assert (tmp_path / "ueq/Problems/GRP/GRP022-2.p").read_text() == text


SILLY = """% SPC      : CNF_UNS_RFO_PEQ_UEQ
% Rating   : 0.50 v9.9.0, 1.00 v1.0.0
include('Axioms/SIL001-0.ax').
cnf(goal,negated_conjecture, f(a) != 'A quoted' ).
"""


def test_unit_equalities_from_an_archive(tmp_path: Path) -> None:
    files = {
        "TPTP-v9/Problems/SIL/SIL001-1.p": SILLY.encode(),
        "TPTP-v9/Problems/SIL/SIL002-1.p": SILLY.replace("UEQ", "NUE").encode(),
        "TPTP-v9/Axioms/SIL001-0.ax": b"cnf(a,axiom, f(X) = X).\n",
        "TPTP-v9/Axioms/SIL002-0.ax": b"cnf(a,axiom, f(X) = a).\n",
    }
    tgz = tmp_path / "TPTP.tgz"
    tgz.write_bytes(archive(files))
    assert sum(fetch_ueq(tmp_path / "d", tgz).values()) == 1
    lists = list((tmp_path / "d/ueq").glob("*.txt"))
    assert [path.read_text() for path in lists] == ["SIL001-1\tSIL\t0.5\tground\n"]
    assert [path.name for path in (tmp_path / "d/ueq/Axioms").iterdir()] == ["SIL001-0.ax"]
    del files["TPTP-v9/Axioms/SIL001-0.ax"]
    tgz.write_bytes(archive(files))
    with pytest.raises(InputError, match="lacks Axioms"):
        fetch_ueq(tmp_path / "e", tgz)
    # A header that can't be read would end the archive, were it not for the checksum.
    raw = bytearray(gzip.decompress(archive(files | {"TPTP-v9/last": b"x" * 4096})))
    whole = gzip.compress(raw, mtime=0)
    raw[raw.index(b"TPTP-v9/Problems/SIL/SIL002-1.p") + 1] ^= 1
    damaged = gzip.compress(raw, mtime=0)[:-8] + whole[-8:]
    packed = bytearray(lzma.compress(raw))
    packed[100:140] = bytes(40)
    for content in (archive({"x/y.p": b""}), b"nothing", damaged, packed):
        tgz.write_bytes(content)
        with pytest.raises(InputError, match=r"no unit-equality problems|no archive"):
            fetch_ueq(tmp_path / "e", tgz)
    assert not (tmp_path / "e").exists()


# As a person uses it


threesil = partial(commands.threesil, TPTP="", THREESIL_DATA="")


def test_the_command(tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path)}
    done = threesil("data", "list", **cache)
    assert done.returncode == 0
    assert "Apache License 2.0" in " ".join(done.stdout.split())
    assert "older layout" not in done.stdout
    half = tmp_path / "half"
    (half / "etp").mkdir(parents=True)
    (half / "etp" / "equations.txt").write_text("x = x\n")
    done = threesil("data", "list", "--to", str(half))
    assert "other: files with other content: an older layout" in done.stdout
    done = threesil("data", "fetch", "tiap", **cache)
    assert done.returncode == 2
    assert "aim, robinson, polynomial, etp, ueq" in done.stderr
    done = threesil("data", "fetch", "ueq", **cache)
    assert done.returncode == 2
    assert "https://tptp.org" in done.stderr
    done = threesil("data", "fetch", "ueq", "--from", "https://127.0.0.1:9/TPTP.tgz", **cache)
    assert done.returncode == 2
    assert "--from TPTP.tgz" in done.stderr
    done = threesil("problems", "show", "aim-dev", **cache)
    assert done.returncode == 2
    assert "threesil data fetch aim" in done.stderr
    assert not (tmp_path / "threesil").exists()


@pytest.mark.data
def test_the_command_fetches_into_the_cache_of_the_user(data: Path, tmp_path: Path) -> None:
    source = SOURCES["etp"]
    content = upstream("etp", data)["data/equations.txt"]
    with host({f"/{source.downloads[0]}": content}, ["busy"]) as server:
        cache = {"XDG_CACHE_HOME": str(tmp_path)}
        done = threesil("data", "fetch", "etp", "--from", server.address, **cache)
    assert (done.returncode, done.stderr) == (0, "")
    assert "licence: Apache License 2.0" in done.stdout
    where = tmp_path / "threesil" / "data"
    assert is_there(source, where)
    sums = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=where, check=False)
    assert sums.returncode == 0
