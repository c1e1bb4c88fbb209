"""Games in stretches, by compiled functions, are those of single moves: sketches, attackers, and what is rare."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from uncompiled import in_python

from disttrack.privacy.adversaries import (
    RESET,
    AmsAttack,
    Attacker,
    CoverAttack,
    FlipFlop,
    FreshItems,
    QuietItems,
    RandomItems,
    RandomTails,
    RandomUpdates,
    TailAttack,
    UnsortedItems,
)
from disttrack.privacy.adversaries.sketching.rules import WEIGHT, Rule
from disttrack.privacy.mechanisms import (
    Ams,
    AmsMedian,
    CountMin,
    CountSketch,
    HyperLogLog,
    Kmv,
    LibraryCountMin,
    LibraryHll,
    LibraryTheta,
    Sketch,
    SketchRun,
)
from disttrack.privacy.mechanisms.sketches import hashes, kernel
from disttrack.privacy.mechanisms.sketches.kernel import MOST, NARROW, AmsForm
from disttrack.privacy.tasks.sketching import task
from disttrack.privacy.tasks.sketching.task import HEARING, SecondMomentTask
from disttrack.privacy.tasks.sketching.truth import FREQUENT, Truth, follow_moves
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.tasks.duel import play_duel
from disttrack.simulator.kinds.registry import kinds

DISTINCT: list[Sketch] = [
    Kmv(size=3), Kmv(size=40), HyperLogLog(registers=128), HyperLogLog(registers=1024), LibraryHll(lg_k=7),
    LibraryTheta(lg_k=5),
]  # fmt: skip
FREQUENCIES: list[Sketch] = [
    CountMin(width=1), CountMin(width=20, depth=3), CountSketch(width=16, depth=1), CountSketch(width=30),
    LibraryCountMin(width=20), Ams(rows=8), AmsMedian(groups=3, rows=7), Ams(rows=8, signs="hashed"),
]  # fmt: skip
OF_DISTINCT: list[Attacker] = [
    QuietItems(prefill=0, window=1), QuietItems(prefill=3, window=40), QuietItems(prefill=100, window=100),
    UnsortedItems(prefill=5, window=30, share=0.5), FreshItems(), FlipFlop(size=2000),
]  # fmt: skip
OF_FREQUENCIES: list[Attacker] = [
    TailAttack(), TailAttack(tail=1), RandomTails(tail=5), CoverAttack(), RandomItems(domain=30), FlipFlop(size=7),
    AmsAttack(), AmsAttack(constant=0.1, pulses=2, burn=5), AmsAttack(constant=1.0, until=0.9),
    AmsAttack(constant=1e7), RandomUpdates(), RandomUpdates(constant=0.1, pulses=1),
]  # fmt: skip
PAIRS = [
    *((sketch, attacker) for sketch in DISTINCT for attacker in OF_DISTINCT),
    *((sketch, attacker) for sketch in FREQUENCIES for attacker in OF_FREQUENCIES),
]
UPDATES = (1, 2, 7, 204, 205, 1500)


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    hold = np.errstate(over="ignore")  # products are meant to overflow
    monkeypatch.setattr(task, "functions_in_time", lambda loop, types, parts, seconds: hold(in_python(loop, parts)))
    monkeypatch.setattr(hashes, "_BLOCK", 64)  # forms must take signs of other items often


def facts(sketch: Sketch, attacker: Attacker, updates: int, engine: str, seed: int = 0) -> dict[str, Any]:
    """Return all that is known of a game, but the engine and the time."""
    game = play_duel(sketch, attacker, updates=updates, seed=seed, engine=engine)
    return {**game.row, "series": game.series, "engine": None, "seconds": None}


@pytest.mark.drawn(20)
@pytest.mark.parametrize("number", range(len(PAIRS)))
def test_a_game_in_stretches_is_that_of_single_moves(uncompiled: None, number: int) -> None:
    sketch, attacker = PAIRS[number]
    for updates in UPDATES:
        assert facts(sketch, attacker, updates, "auto", number) == facts(sketch, attacker, updates, "step", number)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sketch",
    [Kmv(size=64), HyperLogLog(registers=256), CountMin(width=32), CountSketch(width=9), AmsMedian(groups=3, rows=40)],
)
def test_a_game_as_compiled_is_that_of_single_moves(sketch: Sketch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task, "EACH", 1.0)  # a game so long that to compile pays
    drawn = [OF_FREQUENCIES[number] for number in (0, 2, 3, 4, 7, 10)]
    for attacker in OF_DISTINCT[2:5] if sketch.goal == "distinct" else drawn:
        assert facts(sketch, attacker, 20_000, "auto") == facts(sketch, attacker, 20_000, "step")


def test_what_is_rare_happens_in_these_games(uncompiled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams begin anew, items are noted, tails are taken back and not, covers are found; by forms, and without."""
    happened = Counter[str]()
    release = task.Moves.release

    def counted(run: Any, moves: Any) -> Any:
        answers = release(run, moves)
        happened["new stream"] += bool((moves[:1] == RESET).all()) and len(moves)
        happened["by a form" if run._by else "by the sketch itself"] += 1
        if isinstance(attacker, QuietItems):
            happened["noted"] += len(moves) > attacker.prefill + attacker.window
        elif isinstance(attacker, TailAttack) and attacker.tail:
            happened["taken back" if len(moves) > attacker.tail else "kept"] += 1
        elif isinstance(attacker, CoverAttack):
            happened["covered"] += len(moves) > 1
        return answers

    follow, prepare = task.Moves.follow, AmsForm.prepare

    def by_rules(run: Any, stretch: Any, most: int) -> Any:
        followed = follow(run, stretch, most)
        if isinstance(stretch, Rule):
            happened["by a rule" if followed else "by its script"] += 1
            happened["a rule that ends"] += stretch.over
            happened["weight doubled"] += bool(attacker.constant == 0.1 and stretch.whole[WEIGHT] > 10)
        return followed

    def loading(form: Any, item: int) -> bool:
        loaded = prepare(form, item)
        happened["signs drawn"] += loaded
        return loaded

    monkeypatch.setattr(task.Moves, "follow", by_rules)
    monkeypatch.setattr(AmsForm, "prepare", loading)
    monkeypatch.setattr(task.Moves, "release", counted)
    for sketch, attacker in PAIRS:  # a weight takes longer to double
        facts(sketch, attacker, 800 if getattr(attacker, "constant", 0) == 0.1 else 400, "auto")
    names = ("new stream", "by a form", "by the sketch itself", "noted", "taken back", "kept", "covered")
    assert min(happened[name] for name in (*names, "by a rule", "by its script", "signs drawn")) > 5, happened
    assert min(happened[name] for name in ("a rule that ends", "weight doubled")) > 0, happened


@pytest.mark.parametrize("sketch", [Kmv(size=3), Kmv(size=40), HyperLogLog(registers=128)])
def test_an_item_that_comes_again_is_counted_once(sketch: Sketch) -> None:
    moves = np.column_stack((np.random.default_rng(2).integers(0, 9, 60), np.ones(60, dtype=np.int64)))
    run, other = (sketch.start(np.random.default_rng(1)) for _ in range(2))
    form = other.form()
    with np.errstate(over="ignore"):
        found = form.release(form.kernel, moves)
    assert found.tolist() == [run.step(move) for move in moves.tolist()]


@pytest.mark.parametrize("rows", [1, 7, 16])
def test_counters_of_32_bits_are_wide_before_a_sum_has_no_room(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes up to the room, one beyond it and the largest: the run's estimates, narrow after a reset."""
    happened, room = Counter[str](), NARROW // rows
    for name in ("widen", "largest"):
        plain = getattr(kernel, name)
        monkeypatch.setattr(kernel, name, lambda *arrays, n=name, f=plain: happened.update([n]) or f(*arrays))
    sizes = np.array([1, 2, room // 9, room // 3, room - 1, room, room + 1, MOST])
    for seed in range(40):
        rng = np.random.default_rng(seed)
        moves = np.column_stack((rng.integers(0, 4, 50), rng.choice(sizes[: rng.integers(2, 9)], 50)))
        moves[:, 1] *= rng.choice([-1, 1], 50)
        moves[rng.random(50) < 0.1] = RESET
        run, form = (AmsMedian(groups=3, rows=rows).start(np.random.default_rng(seed)) for _ in range(2))
        form, answers, expected, before = form.form(), list[float](), list[float](), happened["widen"]
        for item, change in moves.tolist():
            run.reset() if item < 0 else run.update(item, change)
            expected.append(run.estimate())
        while len(answers) < len(moves):
            with np.errstate(over="raise"):
                answers += form.release(kernel.ams_moves, moves[len(answers) :]).tolist()
            happened["loaded"] += len(answers) < len(moves) and form.prepare(int(moves[len(answers), 0]))
        assert answers == expected
        happened["narrow"] += happened["widen"] == before
        happened["narrow again"] += happened["widen"] > before + 1
    assert min(happened[name] for name in ("loaded", "narrow", "narrow again", "widen")) > 5, happened
    assert happened["largest"] > happened["widen"] + 5, happened


@pytest.mark.parametrize("goal", ["second-moment", "distinct", "frequency", "sum"])
def test_the_truth_leaves_its_table_before_a_number_is_too_large(goal: Any) -> None:
    """Items in arrays, in blocks; from a change that is too large, or an item that is, by whole numbers of Python."""
    rng, left = np.random.default_rng(3), Counter[str]()
    for large in ("none", "change", "item", "sums"):
        moves = np.column_stack((rng.integers(0, 50, 900), rng.integers(1, 4, 900) * rng.choice([-1, 1], 900)))
        moves[::97] = RESET
        moves[::89, 1] = 0
        if large == "change":
            moves[500, 1] = FREQUENT + 1
        if large == "item":
            moves[500, 0] = 2**40
        if large == "sums":
            moves[300:350, 1] = FREQUENT
        fast, plain = Truth(goal, "one"), Truth(goal, "one")
        fast.by = follow_moves
        for begun in range(0, 900, 180):
            block = moves[begun : begun + 180]
            pairs = zip(fast.follow_many(block), plain.follow(map(tuple, block.tolist())), strict=True)
            assert all(np.array_equal(one, other) for one, other in pairs)
            assert fast.touched == plain.touched
        left[large] += fast.by is None
    assert left == {"none": 0, "change": 1, "item": 1, "sums": 1}


def test_a_refused_move_gives_the_error_of_the_sketch(uncompiled: None) -> None:
    for engine in ("auto", "step"):
        with pytest.raises(MoveError, match="a sketch of distinct items takes changes of at least 1; got -1"):
            play_duel(Kmv(size=9), FlipFlop(size=20), updates=99, engine=engine)


def test_classes_of_a_users_are_played_move_by_move() -> None:
    class Own(QuietItems):
        kind = "own"

        def notes(self, view: Any, old: Any, new: Any) -> Any:
            assert len(new) <= self.window
            return new >= old

    games = SecondMomentTask()
    assert not games.in_stretches(Kmv(size=9), Own())
    assert games.in_stretches(Kmv(size=9), QuietItems())
    assert play_duel(Kmv(size=9), Own(prefill=3, window=9), updates=500).engine == "step"


def test_all_that_are_registered_play_above() -> None:
    """Attackers in stretches, and sketches that have a form."""
    loaded: set[Any] = {kind.load() for kind in kinds("adversary").values()}
    stretching = {one for one in loaded if isinstance(one, type) and issubclass(one, HEARING)}
    assert stretching == {type(one) for _, one in PAIRS if isinstance(one, HEARING)}
    runs = {type(one.start(np.random.default_rng(0))) for one, _ in PAIRS}
    assert all(one in runs for one in below(SketchRun) if one.form is not SketchRun.form)
    assert sum(one.form is not SketchRun.form for one in runs) == 5


def below(cls: type) -> set[Any]:
    """Return all classes of the package below one."""
    direct = {one for one in cls.__subclasses__() if one.__module__.startswith("disttrack.")}
    return direct.union(*map(below, direct))
