"""A server for agents, in the Model Context Protocol: what the page does, as tools.

It shares the page's tasks and their processes, so that each call has a bound on its time and its
memory. A call that is cancelled, or whose client has gone, ends at once.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

import threesil
from threesil.notations.document import Document
from threesil.notations.writing import write
from threesil.theories import NAMES, all_theories, benchmark_of, get_theory
from threesil.web.jobs import USUAL, Event, Job, Jobs
from threesil.web.pool import Busy, Limits, Pool, Wrong
from threesil.web.tasks import warm

_TEXT: Final = 1_000_000  # characters of a text that is given
_LONGEST: Final = 200_000  # characters of a certificate, or of its text, that are returned
_QUICK: Final = 30.0  # seconds that anything but a search may take
_SLACK, _LONG = 30.0, 4.0  # by the wall clock, beyond what CPU time a search may take
_READ_ONLY: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)

INSTRUCTIONS: Final = """\
threesil proves equations, or refutes them, in a theory of equations. Nothing is called proved or
refuted that its kernel has not checked; `certificate` is what `check` and `export` take.
Give equations as `x * e = x`, one in a line, together with a `theory`: the name of a bundled one
(tool `theories`) or the text of a theory file, of TPTP, LADR or Lean. A whole file with goals of
its own needs no theory. The resource threesil://notation says how equations and files are written.
"""

NOTATION: Final = """\
Equations: x * e = x. Operators * + / \\ and functions such as i(x); all names in a typed equation
are variables but those of the theory's signature. `exists y: x * y = e` asks for a witness.

A theory file, one statement after the other, each ended by a full stop:

    Theory groups: Groups.
    Goal equation.
    Constants e.
    Infix 2 o.                            (a further operator, with its priority)
    Axiom unit: e * x = x.                (used in both directions)
    Rule inverse: i(x) * x -> e.          (used from left to right)
    Definition c(x,y) := i(y * x) * (x * y).
    Known assoc: (x * y) * z = x * (y * z).
    Theorem right_unit: x * e = x.        (a goal)
    Theorem solution: exists y: x * y = e.

A name with a bracket behind it is a function, one under Constants a constant, any other a variable.
TPTP (cnf, fof), LADR (formulas(assumptions), formulas(goals)) and Lean (theorems by sorry) are read
as they are.
"""

Text = Annotated[str, Field(max_length=_TEXT)]
Equations = Annotated[Sequence[Text], Field(max_length=50, description="further equations")]
Seconds = Annotated[
    float | None,
    Field(
        gt=0,
        allow_inf_nan=False,
        description=f"CPU time for each goal; default: {USUAL:g}, or the most that is allowed",
    ),
]
Theory = Annotated[
    Text, Field(description="a bundled theory's name, or the text of a theory; empty: the default")
]
Goals = Annotated[
    Text, Field(description="equations, one in a line; or a whole file with its own goals")
]
Form = Literal["text", "latex", "json", "tstp", "lean", "lean-term", "rocq", "prover9", "mace4"]


class Answer(BaseModel):
    """What came of a goal."""

    name: str
    goal: str = Field(description="the goal as it was understood")
    theory: str
    status: str = Field(description="SZS: Theorem, CounterSatisfiable, Timeout, GaveUp, …")
    certified: bool = Field(description="the kernel has checked a proof or a counter-model")
    cpu_seconds: float
    text: str = Field(description="the proof or the counter-model for people")
    certificate: str = Field(description="the same as JSON, for the tools check and export")
    reason: str = Field(description="why there is none")


class Answers(BaseModel):
    """What came of all goals."""

    proved: int
    refuted: int
    open: int
    answers: list[Answer]


class Understood(BaseModel):
    """How a text is read."""

    theory: str
    equations: int
    goals: list[dict[str, str]]
    notes: list[str]


class Checked(BaseModel):
    """Whether a certificate is one, and what it shows."""

    certified: bool
    reason: str
    facts: dict[str, Any]


class Lemmas(BaseModel):
    """Equations that hold in the theory, each with its certificate, the best first."""

    lemmas: list[dict[str, str]]


class BundledTheory(BaseModel):
    """A bundled theory."""

    name: str
    title: str
    goals: int = Field(description="classical theorems that come with it")


class _Workers:
    """Two pools of processes: what is quick never waits for searches."""

    def __init__(self, limits: Limits) -> None:
        self.searching = Pool(limits, ready=warm)
        self._quick = Pool(Limits(1, limits.waiting, limits.megabytes, 0, seconds=_QUICK))
        self.jobs = Jobs(self.searching)

    @asynccontextmanager
    async def open(self, server: object) -> AsyncIterator[None]:
        """Starts the processes; none is left at the end."""
        self._quick.start()
        self.searching.start()
        try:
            yield
        finally:
            await self._quick.close()
            await self.searching.close()

    async def ask(self, task: str, **given: Any) -> dict[str, Any]:
        """What a quick task gives."""
        try:
            return await self._quick.ask({"task": task, **given})
        except (Wrong, Busy) as error:
            raise _refused(error.value if isinstance(error, Wrong) else str(error)) from None

    async def search(self, context: Context[Any, Any], task: dict[str, Any]) -> Answers:
        """What comes of the goals of a task; its client hears how far it is."""
        try:
            job = self.jobs.begin(task)
        except Busy as error:
            raise _refused(str(error)) from None
        solver, seconds = "", 0.0
        async with aclosing(self.jobs.follow(job)) as events:
            async for event in events:
                if event["event"] == "failed":
                    raise _refused(event["error"])
                if event["event"] in ("turn", "tick"):
                    solver = event.get("solver", solver)
                    seconds = max(seconds, event.get("seconds", seconds))
                    await context.report_progress(seconds, message=solver or "waiting")
        answers = [await self._answer(job, event) for event in job.answers]
        proved, refuted = (
            sum(event[key] for event in job.answers) for key in ("proved", "refuted")
        )
        left = len(answers) - proved - refuted
        return Answers(proved=proved, refuted=refuted, open=left, answers=answers)

    async def _answer(self, job: Job, event: Event) -> Answer:
        text, certificate, reason = "", "", event["reason"]
        if (kept := job.certificates.get(event["number"])) is not None:
            certificate = json.dumps(kept)
            where = {key: job.task.get(key) for key in ("text", "theory", "assume")}
            form = "text" if "text" in event["formats"] else "json"
            text = (await self.ask("export", **where, certificate=kept, format=form))["text"]
            if len(certificate) > _LONGEST:
                certificate, reason = "", "the certificate is too long to be shown"
        return Answer(
            name=event["name"],
            goal=event["understood"],
            theory=event["theory"],
            status=event["status"],
            certified=event["proved"] or event["refuted"],
            cpu_seconds=event["cpu_seconds"],
            text=text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…",
            certificate=certificate,
            reason=reason,
        )


def _refused(error: dict[str, Any] | str) -> ToolError:
    if isinstance(error, str):
        return ToolError(error)
    where = f"line {error['line']}: " if error.get("line") else ""
    return ToolError("\n".join([where + error["message"], *error.get("shown", ())]))


class Tools:
    """The tools, one method each; their signatures are what agents read."""

    def __init__(self, work: _Workers, seconds: float) -> None:
        self._work, self._most = work, seconds

    async def prove(
        self,
        goals: Goals,
        context: Context[Any, Any],
        theory: Theory = "",
        assume: Equations = (),
        seconds: Seconds = None,
        from_axioms: Annotated[
            bool, Field(description="prove what the theory takes as known, too")
        ] = False,
    ) -> Answers:
        """Prove equations, or refute them where they do not follow from the theory."""
        task = self._search(goals, theory, assume, seconds)
        return await self._work.search(context, {**task, "from_axioms": from_axioms})

    async def refute(
        self,
        goals: Goals,
        context: Context[Any, Any],
        theory: Theory = "",
        assume: Equations = (),
        seconds: Seconds = None,
        size: Annotated[
            int | None, Field(ge=2, le=100, description="elements of the largest models")
        ] = None,
    ) -> Answers:
        """Look for counter-models only: tables in which the theory holds and a goal fails."""
        task = self._search(goals, theory, assume, seconds)
        return await self._work.search(context, {**task, "refute": True, "size": size})

    def _search(
        self, goals: str, theory: str, assume: Sequence[str], seconds: float | None
    ) -> dict[str, Any]:
        if seconds is not None and seconds > self._most:
            raise ToolError(f"at most {self._most:g} seconds are spent on a goal here")
        seconds = seconds or min(USUAL, self._most)
        return {"task": "prove", **_read(goals, theory, assume), "seconds": seconds}

    async def show(self, goals: Goals, theory: Theory = "", assume: Equations = ()) -> Understood:
        """Say how a text is read: its theory, its goals, notes; nothing is proved."""
        found = await self._work.ask("check", **_read(goals, theory, assume))
        return Understood(**{key: found[key] for key in Understood.model_fields})

    async def check(self, certificate: Text, theory: Theory = "") -> Checked:
        """Let the kernel check a certificate again; say what it shows and rests on."""
        return Checked(**await self._work.ask("certify", **_read(certificate, theory)))

    async def export(self, certificate: Text, form: Form, theory: Theory = "") -> str:
        """Check a certificate again and write it for Lean, Rocq, TSTP, LaTeX or people."""
        given = await self._work.ask("translate", **_read(certificate, theory), format=form)
        return str(given["text"])

    async def lemmas(
        self,
        goal: Goals,
        theory: Theory = "",
        assume: Equations = (),
        count: Annotated[int, Field(ge=1, le=100)] = 10,
    ) -> Lemmas:
        """Find equations about the sides of a goal that hold in the theory, to build a proof on."""
        return Lemmas(**await self._work.ask("lemmas", **_read(goal, theory, assume), count=count))

    def theories(self) -> list[BundledTheory]:
        """List the bundled theories; the resource threesil://theories/NAME has the equations."""
        return [
            BundledTheory(name=t.name, title=t.title, goals=len(benchmark_of(t).goals))
            for t in all_theories()
        ]


def _read(text: str, theory: str, assume: Sequence[str] = ()) -> dict[str, Any]:
    """A text with its theory as tasks take it: the name of a bundled one, or a text."""
    given = {"text": text, "assume": list(assume)}
    theory = theory.strip()
    if not theory or theory.partition(":")[0] in NAMES:
        return {**given, "theory": theory or None}
    if not any(mark in theory for mark in "=.("):
        raise ToolError(f"no bundled theory {theory[:80]!r}; there are {', '.join(NAMES)}")
    return {**given, "theory": {"name": "the theory", "text": theory}}


def make_server(*, seconds: float = 60.0, workers: int = 2, megabytes: int = 2048) -> MCPServer:
    """A server whose searches take at most so many CPU seconds for each goal."""
    work = _Workers(Limits(workers, megabytes=megabytes, seconds=seconds * _LONG + _SLACK))
    server = MCPServer(
        "threesil",
        version=threesil.__version__,
        instructions=INSTRUCTIONS,
        log_level="ERROR",
        lifespan=work.open,
    )
    tools = Tools(work, seconds)
    for tool in (
        tools.prove,
        tools.refute,
        tools.show,
        tools.check,
        tools.export,
        tools.lemmas,
        tools.theories,
    ):
        server.add_tool(tool, annotations=_READ_ONLY)
    texts = {"notation": ("How equations and theories are written.", lambda: NOTATION)}
    for theory in all_theories():
        texts[f"theories/{theory.name}"] = theory.title, partial(_file, theory.name)
    for place, (about, text) in texts.items():
        server.resource(f"threesil://{place}", name=place, description=about)(text)
    return server


def _file(name: str) -> str:
    theory = get_theory(name)
    return write(Document(theory, benchmark_of(theory).goals), "theory")
