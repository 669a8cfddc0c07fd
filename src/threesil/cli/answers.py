"""How answers are printed: proofs, counter-models, claims, why there is neither."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Collection, Mapping
from typing import Any

from rich.text import Text

from threesil.cli.app import counted, out, visible
from threesil.kernel.confluence import Convergent
from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import in_order
from threesil.kernel.outcome import SZS, Outcome
from threesil.kernel.proof import Proof
from threesil.kernel.theory import Theory
from threesil.notations.document import Origin
from threesil.notations.names import title
from threesil.notations.reading.typed import understood
from threesil.notations.writing.parts import failure
from threesil.notations.writing.text import Reason, format_proof, proof_lines
from threesil.proofs.export import MODEL_FORMATS, export_certificates
from threesil.proofs.factoring import readable
from threesil.provers.prove import Answer
from threesil.search.refute import Refute

_LONG = 1.0  # CPU seconds after which weights might help
_WITHOUT_CONJECTURE = {SZS.THEOREM: "Unsatisfiable", SZS.COUNTER_SATISFIABLE: "Satisfiable"}


class Printer:
    """Prints answers, and counts what is proved; `form` is empty where proofs go to a file."""

    def __init__(
        self,
        as_json: bool,
        form: str,
        trusted: Collection[str],
        expansions: int | None,
        explain: bool,
        where: Mapping[int, str],
        origins: Mapping[int, Origin],
    ) -> None:
        """`where` theories that may be trained are to be found, and what their files had.

        Both by the numbers of the theories' objects.
        """
        self.origins = origins
        self.as_json, self.form, self.trusted = as_json, form, trusted
        self.expansions, self.explain, self.where = expansions, explain, where
        self.proved = self.refuted = self.satisfiable = 0

    @property
    def done(self) -> int:
        """Of how many all is said: what is proved, and models where there was no goal."""
        return self.proved + self.satisfiable

    def show(self, answer: Answer) -> None:
        outcome = answer.outcome
        believed = outcome.claimed and outcome.by in self.trusted
        proved = outcome.proved or (believed and outcome.status is SZS.THEOREM)
        self.proved += proved
        self.refuted += outcome.certified and outcome.status is SZS.COUNTER_SATISFIABLE
        self.satisfiable += outcome.certified and outcome.status is SZS.SATISFIABLE
        if self.as_json:
            print(json.dumps(self._row(answer, believed)), flush=True)
            return
        status = self._status(answer) if believed or not outcome.claimed else SZS.UNKNOWN
        print(f"% SZS status {status} for {visible(' '.join(outcome.problem.name.split()))}")
        if answer.note:
            print(f"% {visible(answer.note)}")
        if outcome.claimed:
            self._show_claim(answer, believed)
        elif outcome.model is not None:
            self._show_model(outcome.model, outcome)
        elif outcome.system is not None:
            self._show_refutation(outcome.system, answer)
        elif outcome.proof is None:
            self._show_failure(answer)
        else:
            self._show_proof(outcome.proof, answer)
        if self.explain:
            from threesil.cli.explaining import show_turns

            show_turns(outcome)
        sys.stdout.flush()

    def _status(self, answer: Answer) -> str:
        """The word of the ontology: where a file has no conjecture, it is about its formulas."""
        status, denied = answer.outcome.status, self.origins[id(answer.theory)].denied
        return _WITHOUT_CONJECTURE.get(status, status) if denied else status

    def _show_claim(self, answer: Answer, believed: bool) -> None:
        outcome = answer.outcome
        claim = next(part for part in outcome.parts if part.by == outcome.by)
        how = "trusted" if believed else f"a claim; --trust {claim.by} would accept it"
        print(
            f"% {claim.by} says {outcome.status} after {claim.seconds:.3f} s, with "
            f"{outcome.given} lemmas of ours, {outcome.seconds:.3f} s in all: {how}"
        )
        if outcome.reason:
            print(f"% {visible(outcome.reason)}")
        print("% in its own words:")
        print(visible(claim.words or "", keep="\n\t"))

    def _show_refutation(self, system: Convergent, answer: Answer) -> None:
        from threesil.notations.system_json import refuted, shown_order, shown_rules

        outcome = answer.outcome
        print(f"% refuted by {outcome.by} in {outcome.seconds:.3f} s: it does not follow")
        print(f"% read as: {visible(understood(outcome.problem, answer.theory))}")
        print(f"% normal forms: {visible(refuted(system))}")
        print(f"% under {len(system.rules)} rules, checked: they terminate, all overlaps join")
        for rule in shown_rules(system):
            print(f"  {visible(rule)}")
        print(f"% order: {visible(shown_order(system))}")

    def _show_failure(self, answer: Answer) -> None:
        outcome = answer.outcome
        own, *others = outcome.parts or (outcome,)
        more = "--seconds" if own.status is SZS.TIMEOUT else "--expansions"
        limit = self.expansions is not None and own.expansions >= self.expansions
        advice = f"; a larger {more} may help" if own.status is SZS.TIMEOUT or limit else ""
        reason = f" ({own.reason})" if own.reason else ""
        what = "counter-model" if own.by == Refute.name else "proof"
        print(f"% no {what}{reason}, {own.expansions} expansions in {_took(own)}{advice}")
        print(f"% read as: {visible(understood(outcome.problem, answer.theory))}")
        if answer.untrained:
            print("% no weights of this theory were used, only general ones; to train some:")
            self._show_training(answer.theory)
        for other in others:
            why = f": {visible(other.reason)}" if other.reason else ""
            print(f"% {other.by}: {other.status} after {other.seconds:.3f} s{why}")

    def _show_training(self, theory: Theory) -> None:
        where = shlex.quote(self.where[id(theory)] or "FILE")
        train = f"threesil train {where} --minutes 10 --out runs/mine"
        print(f"%   {visible(train)}, then add --weights runs/mine")

    def _show_proof(self, proof: Proof, answer: Answer) -> None:
        outcome = answer.outcome
        lengths = [len(one.derivation.steps) for one in in_order(proof)]
        length = counted(sum(lengths), "rewrite")
        if len(lengths) > 1:
            length += f", {counted(len(lengths) - 1, 'lemma')}"
        how = ", without weights of this theory" if answer.untrained else ""
        print(f"% {length}, found by {outcome.by} in {_took(outcome)}{how}")
        if answer.untrained and outcome.cpu_seconds > _LONG:
            print("% to train some:")
            self._show_training(answer.theory)
        if not self.form:
            return
        if self.form != "text":
            origins = {id(proof): self.origins[id(answer.theory)]}
            print(export_certificates([proof], self.form, origins), end="")
        elif out.color_system is None or out.no_color:
            print(visible(format_proof(readable(proof)), keep="\n"))
        else:
            out.print(_coloured(readable(proof)))

    def _show_model(self, model: Countermodel, outcome: Outcome) -> None:
        by = f"found by {outcome.by} in {outcome.seconds:.3f} s"
        print(f"% a model with {model.tables.size} elements, {by}")
        if outcome.reason:
            print(f"% {visible(outcome.reason)}")
        if self.form == "text":
            from threesil.notations.writing.text import format_model

            print(visible(format_model(model), keep="\n"))
            for other in outcome.models[1:]:
                assert other.problem is not None
                print(visible(f"{title(other.problem.name)} fails {failure(other)}"))
        elif self.form in MODEL_FORMATS:
            print(export_certificates(outcome.models, self.form), end="")

    def _row(self, answer: Answer, believed: bool) -> dict[str, Any]:
        """What was decided, by whom and how."""
        from threesil.measure.outcome_json import outcome_to_json

        value = outcome_to_json(answer.outcome, answer.theory)
        value["status"] = self._status(answer)
        if answer.outcome.claimed:
            value["trusted"] = believed
        if not self.explain:
            del value["turns"]
        return value


def _took(outcome: Outcome) -> str:
    """How long it took; beside it CPU time, which limits are about, where that is much less."""
    wall, cpu = outcome.seconds, outcome.cpu_seconds
    busy = f" ({cpu:.3f} s of CPU time)" if wall > 1.5 * cpu and wall > cpu + 1 else ""
    return f"{wall:.3f} s{busy}"


def _coloured(proof: Proof) -> Text:
    """The proof for a terminal: what a step replaces is underlined, what it put in is green."""
    shown = []
    for line in proof_lines(proof):
        if isinstance(line, Reason):
            reason = Text().append("  = by ", "dim").append(visible(line.rule), "cyan")
            shown.append(reason.append(visible(f"   {line.equation}   {line.place}"), "dim"))
            continue
        term = Text(visible(line.text))
        if line.new is not None:
            term.stylize("green", *line.new)
        if line.old is not None:
            term.stylize("bold underline", *line.old)
        shown.append(Text("    ").append_text(term))
    return Text("\n").join(shown)
