"""Who solved what by when."""

from dataclasses import replace

from measure.rows import PROBLEMS, entrant, standing
from threesil.kernel.outcome import SZS
from threesil.measure.compare.statistics import holm, mcnemar
from threesil.measure.results import Row


def test_times_go_up_to_the_limit() -> None:
    assert standing(60).times == (1, 2, 10, 60)
    assert standing(5).times == (1, 2, 5)
    assert standing(0.5).times == (0.5,)


def test_the_clock_decides() -> None:
    here = standing()
    slow = here.entrants[1]
    assert slow.solved(1.5, "cpu") == {"p2"}
    assert slow.solved(1.5, "wall") == set()
    assert slow.solved(1.65 + 1e-9, "wall") == {"p2"}


def test_sets_unique_and_union() -> None:
    here = standing()
    assert here.at == 60
    assert here.sets["other"] == {"p0", "p9"}
    assert here.union == set(PROBLEMS)
    assert here.unique == {"quick": {"p1"}, "slow": {"p6", "p7", "p8"}, "other": set()}


def test_pairs_are_paired_tests() -> None:
    first, second, third = standing().pairs
    assert (first.first, first.second, first.at, first.problems) == ("quick", "slow", 60, 10)
    assert (first.both, first.only_first, first.only_second, first.neither) == (4, 2, 4, 0)
    assert (second.both, second.only_first, second.only_second, second.neither) == (1, 5, 1, 3)
    assert [pair.p for pair in (first, second, third)] == [
        mcnemar(2, 4),
        mcnemar(5, 1),
        mcnemar(7, 1),
    ]
    assert [p.corrected for p in standing().pairs] == holm([p.p for p in standing().pairs])


def test_imported_results_with_a_shorter_limit_are_compared_where_they_reach() -> None:
    rows = {p: Row(p, SZS.TIMEOUT, False, 2.0, 1.98) for p in PROBLEMS}
    rows["p0"] = Row("p0", SZS.THEOREM, False, 0.5, 0.5)
    rows["p1"] = Row("p1", SZS.GAVE_UP, False, 0.1, 0.1)  # it had its chance
    short = replace(entrant("two", {}), rows=rows, file="two.tsv")
    assert short.covers(2) and not short.covers(10)
    here = standing()
    here = replace(here, entrants=(*here.entrants, short))
    assert here.at == 2
    assert {(pair.second, pair.at) for pair in here.pairs} == {
        ("slow", 60), ("other", 60), ("two", 2),
    }  # fmt: skip
    assert not replace(short, rows={"p0": rows["p0"]}).reach() < 1e9
    assert replace(short, file=None).covers(60)


def test_problems_without_a_result_are_left_out() -> None:
    here = standing()
    quick, slow, other = here.entrants
    less = replace(quick, rows={p: quick.rows[p] for p in PROBLEMS[:4]})
    here = replace(here, entrants=(less, slow, other))
    assert here.common == PROBLEMS[:4]
    assert here.sets["slow"] == {"p2", "p3"}
    assert [pair.problems for pair in here.pairs] == [4, 4, 10]


def test_a_system_with_fewer_seconds_is_compared_where_it_reaches() -> None:
    here = standing()
    quick, slow, _ = here.entrants
    here = replace(here, entrants=(replace(quick, limit=10.0), replace(slow, limit=60.0)))
    assert here.at == 10
    assert [pair.at for pair in here.pairs] == [10]


def test_claims_are_told_from_proofs() -> None:
    quick, slow, _ = standing().entrants
    assert (quick.certified(), quick.claimed()) == (6, 0)
    assert (slow.certified(), slow.claimed()) == (0, 8)
