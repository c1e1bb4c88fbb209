"""The verdict where messages take time: against a step-by-step reference, and at its edges."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_protocol import Scripted

from disttrack.adversaries import RoundRobin, Uniform
from disttrack.protocols import Deterministic, DeterministicRounds, Exact
from disttrack.simulator import play
from disttrack.simulator.game.judge import LagJudge
from disttrack.simulator.game.network import Latency
from disttrack.simulator.game.network.mail import Origin


def error(output: float, floor: int, now: int) -> Fraction | float:
    """Return the least relative error over all that lies from `floor` to `now`, by trying the whole numbers."""
    if output in (inf, -inf) or output != output:
        return inf
    if floor <= output <= now:
        return Fraction(0)
    return min(
        abs(Fraction(output) - n) / n if n else (Fraction(0) if output == 0 else inf) for n in range(floor, now + 1)
    )


@settings(max_examples=120, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 4),
            st.one_of(st.integers(-2, 30), st.sampled_from([0.5, -1.5, 7.25, inf, nan])),
            st.booleans(),
        ),
        max_size=12,
    ),
    st.lists(st.booleans(), min_size=60, max_size=60),
    st.sampled_from([0.1, 0.25, 0.5]),
    st.integers(0, 8),
    st.integers(0, 5),
    st.data(),
)  # fmt: skip
def test_the_referee_judges_every_step(
    notes: list[tuple[int, Any, bool]], fed: list[bool], alpha: float, warm_up: int, start: int, data: Any
) -> None:
    items = [start]
    for there in fed:
        items.append(items[-1] + there)
    referee = LagJudge(alpha, start, warm_up, start)
    states: dict[int, tuple[Any, Origin | None]] = {}
    now = 0
    for wait, output, open_ in notes:
        now += wait
        begun = data.draw(st.integers(1, now)) if open_ else None
        states[now] = output, None if begun is None else Origin(begun, items[begun - 1])
    last = now + data.draw(st.integers(0, 60 - now))
    worst, failing, first, lag, compared = Fraction(0), 0, None, 0, False
    output, oldest = start, None
    for step in range(1, last + 1):
        if step in states:
            output, oldest = states[step]
            referee.note(step, output, oldest, items.__getitem__)
        if step <= warm_up:
            continue
        compared = compared or oldest is None or oldest.before > start
        found = error(output, items[step] if oldest is None else oldest.before, items[step])
        worst = max(worst, found)
        lag = max(lag, 0 if oldest is None else step - oldest.step + 1)
        if found > Fraction(str(alpha)):
            failing += 1
            first = items[step] if first is None else first
    referee.close(last, items.__getitem__)
    assert referee.failing_steps == failing
    assert referee.first_failure == first
    assert referee.max_rel_error == pytest.approx(float(worst), rel=1e-12)
    assert referee.max_lag == lag
    assert referee.verdict() == ("failed" if failing else "ok" if compared else "undecided")


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([Latency(constant=1), Latency(constant=30), Latency(mean=20.0), Latency(uniform=(0, 50))]),
    st.sampled_from(["step", "leap"]),
    st.integers(0, 10**6),
    st.integers(1, 6),
)
def test_what_is_always_right_stays_right_for_what_it_can_know(
    latency: Latency, engine: str, seed: int, sites: int
) -> None:
    """docs/game.md proves it: the sum of reports lies between the reports of the oldest open chain and those of now."""
    for protocol in (Exact(), Deterministic(alpha=0.1), DeterministicRounds(alpha=0.1)):
        game = play(protocol, Uniform(), sites=sites, items=400, seed=seed, network=latency, engine=engine)
        assert game.ok
        assert game.max_lag_error <= game.alpha
        assert game.max_rel_error == 1.0  # the first item is not known in its own step
        assert game.max_lag >= 1


def test_the_warm_up_is_left_out_of_the_verdict_only() -> None:
    """Of a server that says nothing until it has heard seven items, and is exact from then on."""
    late = Scripted(lambda heard: heard if heard >= 7 else 0, alpha=1e-9)
    games = [
        play(late, RoundRobin(), sites=2, items=100, network={"latency": 3, "warm_up": warm_up}, engine="step")
        for warm_up in (0, 8, 9, 10**6)
    ]
    assert [game.verdict for game in games] == ["failed", "failed", "ok", "undecided"]
    assert games[1].max_lag_error == 1.0
    assert games[2].max_lag_error == 0.0 == games[3].max_lag_error
    assert {game.max_rel_error for game in games} == {1.0}
