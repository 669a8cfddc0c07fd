"""Targets: every reader of files. A result or an `InputError`; the kernels refuse in their words.

What is accepted and can be written reads back the same.
"""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from documents import key
from fuzz.inputs import json_mutated, lines_mutated, mutated
from lean_samples import HEADERS, first
from model_samples import some, two
from printed_proofs import (
    E_FOF,
    E_GROUP,
    E_LARK,
    GROUP,
    PROVER9_GROUP,
    PROVER9_LARK,
    TWEE_GROUP,
    TWEE_LARK,
    VAMPIRE_GROUP,
)
from proof_samples import GROUPS, existential, left_inverses, right_unit
from samples import easy_problems, equation
from threesil.engine import Batch, End, Limits, PairShape, Shape
from threesil.errors import InputError
from threesil.implications.equations import read_equations, read_pairs
from threesil.implications.graph import explore
from threesil.implications.output import differing
from threesil.implications.verify import shown
from threesil.kernel.confluence import NotConvergent
from threesil.kernel.countermodel import NotAModel
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.proof import NotAProof
from threesil.kernel.theory import Problem, Theory
from threesil.learn.config import ThreeSILConfig, load_config
from threesil.learn.task import Task, read_config, read_task, resumed_config, write_task
from threesil.measure.compare.directory import Comparison, read_comparison, this_machine
from threesil.measure.compare.imported import read_imported
from threesil.measure.conform import conform
from threesil.measure.results import Results, Row, read_results
from threesil.measure.setting import make_setting
from threesil.nets.judge import Judge
from threesil.nets.policy import Policy, initial_parameters
from threesil.nets.tensors import pack
from threesil.notations.document import NOTATIONS
from threesil.notations.infix import format_prefix
from threesil.notations.lines import decoded
from threesil.notations.model_json import StoredModel, model_to_json
from threesil.notations.proof_json import StoredProof, proof_to_json
from threesil.notations.reading import notation_of_file, parse
from threesil.notations.reading.certificates import stored_certificates
from threesil.notations.reading.lean import read_lean
from threesil.notations.reading.models import StoredTables
from threesil.notations.system_json import StoredSystem, system_to_json
from threesil.notations.writing import write
from threesil.notations.writing.filling import filled
from threesil.notations.writing.ladr import write_mace4
from threesil.notations.writing.tptp import write_tptp_models
from threesil.problems.files import format_problem, load_problems, parse_problem
from threesil.problems.sets import open_set
from threesil.problems.targets import read_targets
from threesil.provers.printed import followed
from threesil.provers.proofs import read_proof
from threesil.provers.registry import VARIANTS, adapter
from threesil.runs.checkpoint import read_checkpoint
from threesil.runs.findings import Judgement, Shares
from threesil.runs.measured import Measured
from threesil.runs.problem_lines import DAMAGED, problem_line, read_problem, read_set, set_lines
from threesil.runs.run import Run
from threesil.runs.weights import theories_of_weights
from threesil.search.completing import complete
from threesil.search.learned import read_learned
from threesil.theories import all_theories
from threesil.theories.aim import AIM
from threesil.theories.polynomial import POLYNOMIAL
from threesil.theories.robinson import ROBINSON
from threesil.web import run_views

_SMALL = 20_000  # bytes of what is also written and read again
REFUSED = (InputError, NotAProof, NotAModel, NotConvergent)


@cache
def _place(process: int) -> Path:
    memory = Path("/dev/shm")
    return Path(
        tempfile.mkdtemp(prefix="fuzz-", dir=memory if os.access(memory, os.W_OK) else None)
    )


def _file(content: bytes, name: str = "file") -> Path:
    """A file of this process with that content."""
    path = _place(os.getpid()) / name
    path.write_bytes(content)
    return path


def _is_refused(do: Callable[[], object]) -> bool:
    """Whether the input is refused, in words."""
    try:
        do()
    except REFUSED as error:
        assert str(error).strip()
        assert len(str(error)) < 5000
        return True
    return False


# Documents

PIECES = tuple(
    b'cnf( fof( formulas( end_of_list. op(400, infix_left, "o"). all exists Axiom Theorem Rule '
    b"Known Hint Definition Infix Prefix Constants Goal negated_conjecture axiom ![X]: ?[Y]: | & "
    b"include('a'). %BEGIN %END label( -> := \\\" \\' e * x'".split(b" ")
)
SEEDS = {
    "tptp": b"""% c
cnf(a, axiom, ( mul(X,e) = X )).
fof('b c', conjecture, ! [X] : ? [Y] : mul(X,Y) = 'f g'(1), file(a,[b])).
cnf(n, lemma, a = b).
fof(s, axiom, ! [X] : ? [Z] : h(X,Z) = X).
""",
    "ladr": b"""set(auto).
op(400, infix, ["o", p]).
formulas(sos).
(x * y)' = -y # label("a").
all x exists y (x o y = e).
end_of_list.
formulas(goals).
all x exists y (y * x = e).
end_of_list.
""",
    "theory": b"""Theory t: T.
Constants e, "c d".
Infix 2 o.
Axiom "a b": e * x' = -x o y.
Rule r: f(x) -> e.
Definition d(x) := x.
Known k: f(f(x)) = f(x).
Hint h: e = f(e).
Theorem t: exists y: x * y = e.
""",
}


def _document(seed: bytes, random: Random) -> None:
    content = mutated(seed, random, PIECES)

    def there_and_back() -> None:
        document = parse(decoded(content, Path("file.txt")), "file")
        for notation in NOTATIONS if len(content) < _SMALL else ():
            again = parse(write(document, notation), document.name, notation)
            kept = document if notation != "tptp" else replace(document, hints=())
            (*facts, goal), (*known, asked) = key(again), key(kept)
            assert facts == known and (goal is asked or notation != "theory"), notation

    _is_refused(there_and_back)


def target_theory_file(random: Random) -> None:
    _document(SEEDS["theory"], random)


def target_tptp(random: Random) -> None:
    _document(SEEDS["tptp"], random)


def target_ladr(random: Random) -> None:
    _document(SEEDS["ladr"], random)


LEAN_PIECES = tuple(
    "theorem variable ( ) { } [ ] : := sorry by ∀ ∃ x, , → M Type u class structure extends where "
    'infixl:70 " * " => mul Mul Inv 1 ⁻¹ namespace end section open . _ * = - -- /- -/ @[ « » in '
    "include notation example".encode().split(b" ")
)


def target_lean(random: Random) -> None:
    """Whatever is left of a Lean file; what is read is filled in with nothing."""
    seed = "".join(f"{header}{first(name, given)}" for name, (header, given) in HEADERS.items())
    content = mutated(seed.encode(), random, LEAN_PIECES)

    def there_and_back() -> None:
        text = decoded(content, Path("file.lean"))
        file = read_lean(text, "file")
        none = [Outcome(one.problem, SZS.UNKNOWN, 0.0) for one in file.goals]
        assert filled(file, none) == text.content

    _is_refused(there_and_back)


def target_targets(random: Random) -> None:
    """Whatever stands on the command line or in the file that it names."""
    content = mutated(random.choice(list(SEEDS.values())), random, PIECES)
    if random.random() < 0.1:
        content = gzip.compress(content)
        content = mutated(content, random) if random.random() < 0.5 else content
    path = _file(content, random.choice(("a.p", "a.in", "a.thy", "a.txt", "a")))
    _is_refused(lambda: notation_of_file(path))
    _is_refused(lambda: read_targets([str(path)]))
    text = content.decode(errors="surrogateescape")
    _is_refused(lambda: read_targets(["-"], typed=text))
    _is_refused(lambda: read_targets([text[:200]]))


LISTS = {
    "aim": b"p1\tx * T(y,x) = y * x\nK(x,y) = e\t1\n# c\nq\texists y: x * y = e\n",
    "robinson": b"S(0) + 2 * 1\n+S00\n(1 + 1) * (0 + 1)\n3\tx\n",
    "polynomial": b"x * (y + z)\tx * y + x * z\nz ^ 2\tz * z\n+xy\t+yx\n",
}


def target_problem_list(random: Random) -> None:
    theory = random.choice((AIM, ROBINSON, POLYNOMIAL))
    path = _file(mutated(LISTS[theory.name], random, (b"0", b"10000", b"999", b"^", b"=", b"T(")))

    def there_and_back() -> None:
        for problem in load_problems(path, theory):
            if problem.start.size < 10_000:
                again = parse_problem(_claim(format_problem(problem, theory)), theory)
                assert (again.start, again.target) == (problem.start, problem.target)

    _is_refused(there_and_back)
    _is_refused(lambda: open_set(str(path)))
    _is_refused(lambda: open_set(f"@{path}"))


def _claim(line: str) -> str:
    """The line of a problem as it is typed."""
    columns = line.split("\t")
    return columns[-1] if "=" in columns[-1] else " = ".join(columns)


def target_equation_list(random: Random) -> None:
    seed = b"Constants e.\nInfix 3 o.\ne * x = x\nx * e = x # c\nx o y = y * x.\ni(i(x)) = x\n"
    path = _file(mutated(seed, random, PIECES))
    pairs = _file(mutated(b"1\t2\nE2 E3\n3,4\n", random), "pairs")
    _is_refused(lambda: read_pairs(pairs, read_equations(path)))


# Certificates


@cache
def _proofs() -> list[dict[str, Any]]:
    proofs = [left_inverses(), right_unit(), *existential()]
    return [proof_to_json(proof) for proof in proofs]


@cache
def _models() -> list[dict[str, Any]]:
    return [model_to_json(model) for model in some()]


@cache
def _system() -> dict[str, Any]:
    found = complete(GROUPS, 10.0)
    assert found.system is not None
    return system_to_json(found.system)


def _certificate(value: dict[str, Any], random: Random, theory: Theory | None) -> None:
    if random.random() < 0.1:
        value = {"name": "p", "status": "Theorem", random.choice(("proof", "model")): value}
    text = json_mutated(value, random)

    def check() -> None:
        for stored in stored_certificates(text.decode(errors="replace"), "file"):
            assert not isinstance(stored, StoredTables)
            assert isinstance(stored.name, str)
            if isinstance(stored, StoredModel):
                model = stored.checked(random.choice((theory, None)))
                again = StoredModel("again", model_to_json(model)).checked(model.theory)
                assert again.tables == model.tables and again.values == model.values
            elif isinstance(stored, StoredProof):
                proof = stored.certified(theory or GROUPS)
                written = StoredProof("again", proof_to_json(proof))
                assert written.certified(proof.theory).problem == proof.problem
            else:
                assert isinstance(stored, StoredSystem)
                system = stored.certified(theory or GROUPS)
                written_system = StoredSystem("again", system_to_json(system))
                assert written_system.certified(system.theory).order == system.order

    _is_refused(check)
    _is_refused(lambda: stored_certificates(text.decode("latin-1"), "file"))


def target_proof_file(random: Random) -> None:
    _certificate(random.choice(_proofs()), random, GROUPS)


def target_model_file(random: Random) -> None:
    number = random.randrange(len(_models()))
    _certificate(_models()[number], random, some_theories()[number])


@cache
def some_theories() -> list[Theory]:
    return [model.theory for model in some()]


def target_system_file(random: Random) -> None:
    _certificate(_system(), random, GROUPS)


def target_models_of_others(random: Random) -> None:
    """What Mace4 prints, and interpretations of TPTP."""
    models = [two(), two(None)]
    writer = random.choice((write_mace4, write_tptp_models))
    pieces = (
        b"interpretation(",
        b"function(f(_,_), [0,1])",
        b"fof(a, fi_domain,",
        b"]).",
        b"99999",
    )
    text = mutated(writer(models).encode(), random, pieces).decode(errors="replace")

    def check() -> None:
        for stored in stored_certificates(text, "file"):
            if isinstance(stored, StoredTables):
                model = stored.checked(models[0].theory)
                again = next(iter(stored_certificates(writer([model]), "again")))
                assert isinstance(again, StoredTables)
                assert again.checked(model.theory).tables == model.tables

    _is_refused(check)


PRINTED = (
    E_FOF,
    E_GROUP,
    E_LARK,
    PROVER9_GROUP,
    PROVER9_LARK,
    TWEE_GROUP,
    TWEE_LARK,
    VAMPIRE_GROUP,
)


def target_printed_proof(random: Random) -> None:
    pieces = (b"# label(a)", b"inference(", b"[assumption].", b"= { by axiom 1 (a) }", b"Lemma 1: ")
    pieces += (b"Proof:\n", b"Goal 1: ", b"\\'", b"'", b'"', b"(", b"[", b"introduced(")
    text = mutated(random.choice(PRINTED).encode(), random, pieces).decode(errors="replace")
    _is_refused(lambda: read_proof("", text))


def target_followed_proof(random: Random) -> None:
    """What another prover printed, followed step by step."""
    path = _file(mutated(random.choice(PRINTED).encode(), random))
    (target,) = read_targets(["mul(x,inv(x)) = e"], GROUP)
    _is_refused(lambda: list(followed(str(path), target)))


def target_prover_output(random: Random) -> None:
    """The status, and whatever else is read of an output."""
    name = random.choice(list(VARIANTS))
    text = random.choice(PRINTED) + "\nUser time = 1.5\nTHEOREM PROVED\n% SZS status Timeout\n"
    output = mutated(text.encode(), random).decode(errors="replace")
    prover = adapter(name)(Path("/bin/true"), name, VARIANTS[name].options)
    prover.read(output)
    prover.read_version(output)


# Directories


@cache
def _directory(process: int, name: str) -> tuple[Path, dict[str, bytes]]:
    """A directory that is as it should be, and the content of its files."""
    path = _place(process) / name
    _MADE[name](path)
    files = (file for file in path.rglob("*") if file.is_file())
    return path, {str(file.relative_to(path)): file.read_bytes() for file in files}


def _damaged(name: str, random: Random) -> Path:
    """The directory with one of its files changed or gone; what was changed before is mended."""
    path, files = _directory(os.getpid(), name)
    changed = _changed.pop(name, None)
    if changed is not None and changed.is_dir():
        changed.rmdir()
    if changed is not None:
        changed.write_bytes(files[str(changed.relative_to(path))])
    file = random.choice(sorted(files))
    content = files[file]
    _changed[name] = place = path / file
    if random.random() < 0.03:
        place.unlink()
        if random.random() < 0.5:
            place.mkdir()
    elif file.endswith(".jsonl") and random.random() < 0.5:
        values = [json.loads(line) for line in content.splitlines()]
        place.write_bytes(lines_mutated(values, random))
    elif file.endswith(".json"):
        place.write_bytes(json_mutated(json.loads(content), random))
    else:
        place.write_bytes(mutated(content, random))
    return path


_changed: dict[str, Path] = {}
MAGMAS = b"x = y\nx * y = y * x\n(x * y) * z = x * (y * z)\nx * (x \\ y) = y\nx \\ (x * y) = y\n"


def _make_graph(path: Path) -> None:
    path.mkdir()
    (path / "equations.txt").write_bytes(MAGMAS)
    explore(read_equations(path / "equations.txt"), path / "graph", seconds=0.1)
    for name in ("implications.csv", "equations.csv", "open.csv", "graph.png", ".lock"):
        (path / "graph" / name).unlink(missing_ok=True)


def target_implication_graph(random: Random) -> None:
    path = _damaged("graph", random)

    def look() -> None:
        given = read_equations(path / "equations.txt")
        found = shown(given, path / "graph", kernel=True)
        differing(path / "graph", given, found.status, found.by)

    _is_refused(look)


def _make_run(path: Path) -> None:
    path.mkdir()
    run, problems = Run(path), tuple(easy_problems(ROBINSON)[:6])
    config = ThreeSILConfig(size=16, hidden=16, ME=3)
    model = Policy(ROBINSON, Shape(16, 16), initial_parameters(ROBINSON, Shape(16, 16), 1), {})
    task = Task(ROBINSON, problems, "3sil", 1, "robinson", "terms", start=model, lemmas=())
    write_task(run, task, config, {"policy": False})
    model.save(run.weights_path)
    run.write_judgement(Judgement(lemmas={"saturate": 3}, opening=(("plain", 0.5),)))
    run.write_costs(dict.fromkeys(list(ROBINSON.rewrites())[:2], 1.5))
    run.write_shares([Shares(1.0, 3, 1, 2, 0, 1, 1.0)])
    for k in range(3):
        row = {"epoch": k, "level": 1, "finished": False, "success": 0.5, "solved": k}
        run.add_metrics({**row, "seconds": 1.5})
    arrays = {"weights": np.arange(4, dtype=np.float32), "numbers": np.arange(3)}
    run.write_checkpoint(3, arrays, {"epoch": 3, "level": 1, "run": "x"})


def target_run_directory(random: Random) -> None:
    path = _damaged("run", random)
    run = Run(path)
    looks: tuple[Callable[[], object], ...] = (
        lambda: run.facts,
        run.metrics,
        lambda: read_config(run),
        lambda: read_task(run),
        lambda: resumed_config(run, {}),
        lambda: [read_checkpoint(one) for one in run.checkpoints()],
        lambda: read_learned(path, ROBINSON),
        lambda: list(theories_of_weights(str(path))),
        lambda: run.policy(ROBINSON),
        run.shares,
        lambda: run_views.run({"place": ("run", str(path)), "after": -1}),
    )
    _is_refused(random.choice(looks))


def _make_comparison(path: Path) -> None:
    problems = [Problem(name, *_sides(text)) for name, text in _TEXTS.items()]
    common: dict[str, Any] = {"seconds": 2.0, "memory": 512, "options": {"program": "1"}}
    with Comparison(path) as comparison:
        for system in ("plain", "best"):
            made = make_setting(problems, lambda _: AIM, AIM, "some.tsv", system, **common)
            results = comparison.enter(made, tuple(_TEXTS))
            for name in _TEXTS:
                results.add(Row(name, SZS.THEOREM, True, 0.5, 0.25, 3, 1, "best", attempts=2))
        comparison.begin(this_machine(2))


_TEXTS = {"one": "e * x = x", "two": "x / e = x", "three": "x * e = x"}


def _sides(text: str) -> tuple[Any, Any]:
    problem = equation(text)
    return problem.start, problem.target


def target_comparison(random: Random) -> None:
    path = _damaged("comparison", random)
    _is_refused(lambda: read_comparison(path))
    _is_refused(lambda: run_views.comparison({"place": ("comparison", str(path))}))


def target_results(random: Random) -> None:
    _, files = _directory(os.getpid(), "comparison")
    lines = files["results/best.jsonl"].splitlines()
    content = lines_mutated([json.loads(line) for line in lines], random)
    file = _file(content, "best.jsonl")

    def there_and_back() -> None:
        setting, rows = read_results(file)
        other = file.with_name("again.jsonl")
        other.unlink(missing_ok=True)
        with Results(other, setting, list(rows)) as again:
            for row in rows.values():
                again.add(row)
        found, same = read_results(other)
        assert same == rows and found.to_json() == setting.to_json()

    _is_refused(there_and_back)
    _is_refused(lambda: read_imported(f"x={file}", tuple(_TEXTS)))
    seed = b"one\tproved\t1.5\t1.25\ntwo\ttimeout\t2\t2\nthree\tTheorem\t1\t1\n"
    table = _file(mutated(seed, random), "table.tsv")
    _is_refused(lambda: read_imported(str(table), tuple(_TEXTS)))


_MADE = {"graph": _make_graph, "run": _make_run, "comparison": _make_comparison}


# Other files


def target_configuration(random: Random) -> None:
    pieces = b"""ME = 3|nan|inf|true|1979-05-27|[a]|= [|"|'|size = 16|\\u0000""".split(b"|")
    path = _file(mutated(ThreeSILConfig().to_toml().encode(), random, pieces), "config.toml")

    def there_and_back() -> None:
        config = load_config(path, ROBINSON)
        assert load_config(_file(config.to_toml().encode(), "again.toml"), ROBINSON) == config

    _is_refused(there_and_back)


@cache
def _traces() -> tuple[list[Any], ...]:
    """Short episodes as they are recorded: of Robinson arithmetic, and of AIM."""
    episodes = []
    for seed in range(2):
        random, steps = Random(seed), []
        batch = Batch(ROBINSON, [easy_problems(ROBINSON)[5]], limits=Limits(steps=1000))
        batch.reset(0, 0)
        for _ in range(4):
            legal = np.flatnonzero(batch.masks()[0]).tolist()
            if batch.end(0) is End.SOLVED or not legal:
                break
            action = random.choice(legal)
            state = {"e": format_prefix(batch.term(0)), "c": list(batch.cursor(0))}
            first = ROBINSON.first_action
            state |= {"l": [a + first for a in legal], "a": action + first}
            batch.step(np.array([action], np.int32))
            steps.append({**state, "d": batch.end(0) is End.SOLVED})
        final = {"e": format_prefix(batch.term(0)), "c": list(batch.cursor(0)), "l": []}
        episodes.append({"steps": steps, "final": final, "done": False})
    mask = "11" + "0" * (len(AIM.actions) - 2)
    step: dict[str, Any] = {"m": "x * y", "n": "y", "vbd": 0, "cur": None, "mask": mask, "act": 0}
    aim: dict[str, Any] = {"problem": "p", "equation": "x * y = y", "maxdepth": 1000}
    aim |= {"skolems": {"x": "x"}, "steps": [step, {**step, "cur": [0, []], "act": None}]}
    aim |= {"n_actions": 1, "success": False, "end": "limit", "final_m": "x", "final_n": "y"}
    return episodes, [aim, aim]


def target_trace(random: Random) -> None:
    content = lines_mutated(random.choice(_traces()), random)
    path = _file(gzip.compress(content) if random.random() < 0.1 else content, "trace.jsonl")
    _is_refused(lambda: conform(path, all_theories()))


@cache
def _problem_lines() -> list[Any]:
    problems = easy_problems(ROBINSON)[:3]
    text = set_lines(open_set("groups-goals")) + "".join(map(problem_line, problems))
    return [json.loads(line) for line in text.splitlines()]


def target_problem_lines(random: Random) -> None:
    """The problems of a run, and of a run for all theories; what was measured of them."""
    text = lines_mutated(_problem_lines(), random).decode(errors="replace")
    for line in text.splitlines():
        with suppress(*DAMAGED):
            problem = read_problem(line, ROBINSON)
            assert read_problem(problem_line(problem), ROBINSON) == problem
    with suppress(*DAMAGED):
        found = read_set(text)
        again = read_set(set_lines(found))
        assert [p.start for p in again.problems] == [p.start for p in found.problems]
    rows = [{"problem": "3f1c", "expansions": 120, "seconds": 4.2}] * 3
    path = _file(lines_mutated(rows, random), "measured.jsonl")
    _is_refused(lambda: Measured(path).get(easy_problems(ROBINSON)[0]))


@cache
def _weights() -> tuple[bytes, ...]:
    shape = Shape(16, 16)
    model = Policy(ROBINSON, shape, initial_parameters(ROBINSON, shape, 1), {"by": "hand"})
    path = _file(b"", "made.safetensors")
    model.save(path)
    arrays = {"weights": np.arange(64, dtype=np.float32)}
    pair = {"format": "threesil-selection-1", "shape": asdict(PairShape(0, 16)), "notes": {}}
    return path.read_bytes(), pack(arrays, pair), pack(arrays, {"format": "threesil-checkpoint-2"})


def target_weights(random: Random) -> None:
    content = random.choice(_weights())
    head = 8 + int.from_bytes(content[:8], "little")
    if random.random() < 0.8:  # the header, with its length
        header = mutated(content[8:head], random)
        length = len(header) if random.random() < 0.9 else random.getrandbits(64)
        content = length.to_bytes(8, "little") + header + content[head:]
    else:
        content = mutated(content, random)
    path = _file(content, "model.safetensors")
    _is_refused(lambda: Policy.load(path, ROBINSON))
    _is_refused(lambda: Judge.load(path))
    _is_refused(lambda: read_checkpoint(path))


TARGETS = (
    target_theory_file,
    target_tptp,
    target_ladr,
    target_lean,
    target_targets,
    target_problem_list,
    target_equation_list,
    target_proof_file,
    target_model_file,
    target_system_file,
    target_models_of_others,
    target_printed_proof,
    target_followed_proof,
    target_prover_output,
    target_implication_graph,
    target_run_directory,
    target_comparison,
    target_results,
    target_configuration,
    target_trace,
    target_problem_lines,
    target_weights,
)
