"""`disttrack advise quota --log`: the protocols on a log, and what is refused in one line."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from commands import disttrack, refused

from disttrack import Lease, play
from disttrack.fleet import log_advice as on
from disttrack.fleet.advice import Service, candidates
from disttrack.fleet.task import measured
from disttrack.fleet.units import RATE

pytestmark = pytest.mark.usefixtures("folder")


ASKED = ("advise", "quota", "--quota", "5/s", "--nodes", "2", "--log")


def played_on(log: str, k: int, *wanted: Any, **more: Any) -> tuple[Any, Any, list[Any]]:
    """Return a log, what is asked of it in windows of a second, and how protocols do, the best first."""
    trace = on.trace_of(log, Fraction(1))
    service = on.service_on(trace, k, *wanted, **more)
    return trace, service, on.ranked(list(on.on_log(trace, service)))


def the(kind: str, played: list[Any]) -> Any:
    """Return how the protocol of a kind does."""
    return next(one for one in played if one.suited.protocol.kind == kind)


def write(rows: int = 400) -> list[tuple[int, str, int]]:
    """Write a log in milliseconds, out of order, with costs; return its rows in order."""
    draw = random.Random(4)
    log = [(draw.randrange(4_000), f"n{draw.randrange(3)}", draw.choice((1, 5))) for _ in range(rows)]
    Path("day.csv").write_text("time,node,tokens\n" + "".join(f"{at / 1000},{node},{cost}\n" for at, node, cost in log))
    return sorted(log, key=lambda row: row[0])


def test_protocols_are_played_on_the_log_itself() -> None:
    """The row of a protocol is its own game, and no game is beyond what is promised; by hand: what `split` refuses."""
    log = write()
    day = "trace:file=day.csv,time=time,deal=round-robin,cost=tokens"
    trace, service, played = played_on(day, 2, 60.0, Fraction(1), 0.02, 0.003, any=False)
    assert (service.limit, service.window, service.latency, trace.step) == (60, 1000, 3, "1000us")
    kinds = {one.suited.protocol.kind for one in played}
    assert {"split", "lease", "central", "hybrid-quota"} <= kinds
    for one in played:
        assert one.suited.overshoot <= one.suited.promised <= 0.02
        assert one.refused_at[0] <= one.refused <= one.refused_at[1] <= 1
    lease = next(one for one in played if one.suited.protocol == Lease(60, 1000))
    game = play(Lease(60, 1000), trace, sites=2, items=400, network=service.network)
    assert lease.suited.words == game.words
    left, admitted, first = {}, [0, 0], log[0][0]
    for number, (at, _, cost) in enumerate(log):
        place = (at - first) // 1000, number % 2
        left.setdefault(place, 30)
        fits = cost <= left[place]
        left[place] -= cost * fits
        admitted[number % 2] += cost * fits
    asked = [sum(cost for _, _, cost in log[node::2]) for node in range(2)]
    split = the("split", played)
    shares = [1 - got / of for got, of in zip(admitted, asked, strict=True)]
    assert split.refused_at == (min(shares), max(shares))
    assert split.refused == 1 - sum(admitted) / sum(asked)


def test_a_request_that_is_never_answered_counts_as_refused_in_each_column() -> None:
    """On one node `refused` and `by node` are equal, although `central` answers none of the last requests."""
    rows = "".join(f"{at / 1000}\n" for at in (0, 1, 2, 97, 98, 99))
    Path("late.csv").write_text("time\n" + rows)
    trace, service, played = played_on("late.csv,deal=round-robin", 1, 100.0, Fraction(1), 0.99, 0.004)
    central = the("central", played)
    game = play(central.suited.protocol, trace, sites=1, items=6, network=service.network)
    assert measured(game)["refused"] == 0, "all are answered"
    assert (central.refused, central.refused_at) == (0.5, (0.5, 0.5))


@pytest.mark.parametrize(("flags", "counter"), [((), False), (("--any",), True)])
def test_utilisation_is_what_its_caption_says(flags: tuple[str, ...], counter: bool) -> None:
    """By hand: of 6 and 5 in a window of 10, one counter admits 6 of 6; of what came, up to the limit, this is 0.6."""
    Path("two.csv").write_text("time,n\n0,6\n0.1,5\n")
    log = "trace:file=two.csv,time=time,cost=n,deal=round-robin"
    words = ("advise", "quota", "--quota", "10/s", "--nodes", "1", "--overshoot", "99%", "--log", log, *flags)
    shown = " ".join(disttrack(*words).stdout.split())
    assert ("one counter" in shown) == counter
    _, _, played = played_on(log, 1, 10.0, Fraction(1), 0.99, 0.0, any=counter)
    assert the("central", played).suited.utilisation == (1.0 if counter else 0.6)


def test_further_limits_are_kept_by_those_that_have_them() -> None:
    log = write()
    also = [RATE.convert("100/2s", None, None)]
    trace, service, played = played_on("day.csv", 2, 60.0, Fraction(1), 0.0, 0.0, also=also)
    assert {one.suited.protocol.kind for one in played} == {"split", "central", "lease", "countdown-quota"}
    first, spent, refused = log[0][0], {}, 0
    for at, *_ in log:
        short, long = (at - first) // 1000, (at - first) // 2000 + 10**6
        fits = spent.get(short, 0) < 60 and spent.get(long, 0) < 100
        spent[short], spent[long] = spent.get(short, 0) + fits, spent.get(long, 0) + fits
        refused += not fits
    central = the("central", played)
    assert central.refused == refused / len(log) > 0
    assert '"limits": "100/2000"' in on.scenario_of(central, trace, service)
    assert all(one.suited.overshoot <= one.suited.promised == 0 for one in played)


@pytest.mark.parametrize(
    ("window", "log", "seconds", "pace", "words"),
    [
        ("1day", "short.csv", "990 ms", "101", "202"),
        ("1s", "short.csv", "990 ms", "101", "202"),
        ("1h", "short.csv,speed=10", "99 ms", "1,010", "2,020"),
    ],
)
def test_the_length_of_a_log_is_that_of_its_times(window: str, log: str, seconds: str, pace: str, words: str) -> None:
    """Seen: a log of a second had the length of a thousandth of the window, and its words that of the window."""
    Path("short.csv").write_text("time\n" + "".join(f"{place / 100:.2f}\n" for place in range(100)))
    flags = ("--quota", "1e6/s", "--window", window, "--nodes", "2")
    said = disttrack("advise", "quota", "--log", log, *flags).stdout.splitlines()
    assert f"the log:       0.00 to 0.99: 100 requests in {seconds}, {pace}/s" in said
    central = next(line.split() for line in said if line.split()[1:2] == ["central"])
    assert central[2] == words
    assert any(line.startswith("words/s: ") for line in said)
    Path("one.csv").write_text("time\n5\n5\n")
    said = disttrack("advise", "quota", "--log", "one.csv", *flags).stdout.splitlines()
    assert "the log:       5 to 5: 2 requests in 0 us" in said


def test_a_latency_that_is_rounded_up_to_a_step_is_named() -> None:
    """Seen: a millisecond was played as the 60 of a step, and the heading had the millisecond alone."""
    Path("one.csv").write_text("time\n" + "".join(f"{place}\n" for place in range(40)))
    flags = ("--quota", "100/min", "--nodes", "2", "--overshoot", "99%", "--latency", "1ms")
    said = disttrack("advise", "quota", "--log", "one.csv", *flags).stdout.splitlines()
    (step,) = [line for line in said if line.startswith("a step:")]
    assert step.endswith(", a message takes 1 step of 60 ms (1 ms, rounded up)")


@pytest.mark.parametrize("row", [1, 5, 12])
def test_a_row_at_a_wrong_time_is_named(row: int) -> None:
    """Seen: one row of 1970 among those of 2026 was played for ever, without a line."""
    times = [f"2026-03-29T01:00:{second:02}" for second in range(12)]
    times.insert(row - 1, "1970-01-01T00:00:00" if row == 1 else "2066-01-01T00:00:00")
    Path("gap.csv").write_text("time,node\n" + "".join(f"{time},a\n" for time in times))
    said = refused(*ASKED, "gap.csv")
    assert "must have at most 1,000,000 windows; from " in said
    after = 1 if row == 1 else 12
    assert f"is after row {after} in order of time" in said
    Path("gap.csv").write_text("time,node\n" + "".join(f"{time},a\n" for time in times if "03-29" in time))
    shown = " ".join(disttrack(*ASKED, "gap.csv").stdout.split())
    assert "the log: 2026-03-29T01:00:00 to 2026-03-29T01:00:11: 12 requests in 11 s, 1.09/s" in shown


def test_times_beyond_the_year_5000_need_a_unit() -> None:
    """Seen: milliseconds since 1970 were read as seconds; with a unit the same requests come in the same steps."""
    seconds = [1774745998 + place for place in range(0, 12, 3)]
    for name, factor in {"s": 1, "ms": 1000, "us": 10**6}.items():
        Path(f"{name}.csv").write_text("time,n\n" + "".join(f"{factor * second},1\n" for second in seconds))
    moments = {name: on.trace_of(f"{name}.csv,unit={name}", Fraction(1)).stream().rows for name in ("s", "ms", "us")}
    assert {rows.steps for rows in moments.values()} == {9001}
    assert on.trace_of("s.csv", Fraction(1)).stream().rows.steps == 9001
    for name in ("ms", "us"):
        said = refused(*ASKED, f"{name}.csv")
        assert "unit must be given where times reach 1774746007" in said
    assert "must have at most 1,000,000 windows" not in refused(*ASKED, "ms.csv,unit=s,broken=keep")
    said = refused(*ASKED, "us.csv,unit=s")
    assert "must have at most 1,000,000 windows" in said


def test_parameters_may_follow_a_file() -> None:
    """Seen: `a.log,broken=skip` was taken for the name of a file, and answered with a mapping of Python."""
    rows = [f'h - - [10/Oct/2000:13:55:3{second} -0700] "GET / HTTP/1.0" 200 5' for second in range(4)]
    Path("cut.log").write_text("\n".join([*rows, "h - -"]) + "\n")
    said = refused(*ASKED, "cut.log")
    assert "line 5" in said
    assert "{'" not in said
    for log in ("cut.log,broken=skip", "trace:file=cut.log,deal=round-robin,broken=skip"):
        trace = on.trace_of(log, Fraction(1))
        assert (trace.items, trace.dropped) == (4, 1)
    assert "--log: broken: must be one of refuse, skip" in refused(*ASKED, "cut.log,broken=no")


def test_each_protocol_with_the_cheapest_settings_that_keep_the_limit_in_any_window() -> None:
    service = Service(4, 20, 60, 0.99, any=True)
    shapes = {(one.kind, one.shape): one for one in candidates(service)}
    assert {("central", "weighted"), ("periodic", "weighted"), ("periodic", "sliding")} <= {*shapes}
    for one in shapes.values():
        assert service.promised(one) <= service.allowed
        if one.kind == "periodic":
            assert service.promised(replace(one, every=one.every + 1)) > service.allowed  # type: ignore[call-arg]


def test_its_scenario_plays_the_first_of_them_on_the_log() -> None:
    write()
    shown = disttrack("advise", "quota", "--log", "day.csv", "--quota", "50/s", "--nodes", "2,3", "--out", "mine.yaml")
    assert "400 requests · quota 50/s · window 1 s" in shown.stdout
    assert shown.stdout.count("central") == 2
    played = disttrack("run", "mine.yaml", "--no-figures", "--workers", "1").stdout
    assert "PASS     no window admits more than is allowed" in played


def test_a_log_that_takes_too_long_is_refused() -> None:
    """Seen: a row that stands for 10^12 requests was played in silence."""
    Path("huge.csv").write_text("time,n\n0,5\n1,1000000000000\n")
    log = "trace:file=huge.csv,time=time,count=n,deal=round-robin"
    said = refused(*ASKED, log)
    assert "must have at most 100,000,000 requests; it has 1,000,000,000,005" in said
