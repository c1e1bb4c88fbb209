"""`disttrack advise quota`: units, the ranking, the scenario that verifies it, and what is refused."""

from __future__ import annotations

import random
import re
import shlex
from fractions import Fraction
from math import inf, log
from pathlib import Path

import numpy as np
import pytest
from commands import disttrack, refused

from disttrack.fleet import advice
from disttrack.fleet.advice import LEAST, Service, advise, bound, candidates, scenario_of, service_of, settled
from disttrack.fleet.quotas import QUOTAS, Central, CountdownQuota, Quota
from disttrack.fleet.reserves import excess
from disttrack.fleet.units import DURATION, RATE
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game import engine_choice

pytestmark = pytest.mark.usefixtures("folder")


def test_its_answer_holds_when_it_is_played() -> None:
    words = ("--quota", "200/s", "--sites", "6", "--overshoot", "5%", "--latency", "10ms")
    shown = disttrack("advise", "quota", *words, "--out", "mine.yaml").stdout
    assert "cheapest:      lease" in shown
    assert "600 steps are 1 s, with a limit of 200 in them, a message takes 6 steps of 1.67 ms" in shown
    assert "verify:        disttrack run mine.yaml" in shown
    played = disttrack("run", "mine.yaml", "--no-figures", "--workers", "1", "--set", "trials=1").stdout
    assert "PASS     no window admits more than is allowed" in played
    with open("mine.yaml") as file:
        assert file.read().partition("\n")[2] in disttrack("advise", "quota", *words).stdout


def test_an_answer_states_its_question_and_accounts_for_every_kind() -> None:
    """Seen: an answer without the load that was assumed, rows without numbers or a reason, kinds without a word."""
    words = ("--quota", "1000/s", "--sites", "12", "--overshoot", "2%", "--latency", "20ms", "--out", "mine.yaml")
    shown = disttrack("advise", "quota", *words).stdout
    asked = "load 3,000/s (assumed: three times the quota, --load) · overshoot up to 2 % · latency 20 ms"
    assert f"12 sites · quota 1,000/s · window 1 s · {asked}" in shown
    assert "# A step is a request of the peak load, 333 us." in Path("mine.yaml").read_text(encoding="utf-8")
    table, _, below = shown.partition("left out")
    assert all("(over 5 times the cheapest)" in line for line in table.splitlines() if line.startswith("central"))
    counted = re.findall(r"\((\d+)\): (.*)", below)
    assert [int(number) for number, _ in counted] == [len(names.split(", ")) for _, names in counted]
    kinds = {line.split()[0] for line in table.splitlines() if line.split()} & {*QUOTAS}
    assert kinds | {name for _, names in counted for name in names.split(", ")} == {*QUOTAS}
    assert "assumed" not in disttrack("advise", "quota", *words, "--load", "2000/s").stdout


def test_the_scenario_plays_the_loads_and_windows_of_the_answer() -> None:
    Path("tokens.txt").write_text("5\n9\n", encoding="utf-8")
    words = ("--quota", "200/s", "--sites", "2", "--overshoot", "20%")
    for more in ((), ("--costs", "tokens.txt", "--duration", "10ms")):
        shown = disttrack("advise", "quota", *words, *more).stdout
        assert "of games with uniform, zipf and single-site load" in shown
        assert "adversary: [uniform, {kind: zipf, exponent: 1}, single-site, greedy" in shown
        assert "control: {" in shown
        sizes = [int(re.search(rf"^{key}: (\d+)$", shown, re.MULTILINE)[1]) for key in ("requests", "window")]  # type: ignore[index]
        assert sizes[0] == 3 * sizes[1]


NAMES = ["my  file.yaml", "it's $(late)!;.yaml", "-x.yaml", f"{'a[red] long ' * 9}.yaml"]
"""Names of files that a shell, the options of a command or a narrow terminal would take apart."""


def command_of(shown: str) -> str:
    """Return the command of the line that verifies."""
    return shown[shown.index("verify:") :].splitlines()[0].removeprefix("verify:").strip()


@pytest.mark.parametrize("name", NAMES)
def test_the_command_that_verifies_is_one_for_a_shell(name: str) -> None:
    shown = disttrack("advise", "--quota", "100/s", "--sites", "3", "--out", name).stdout
    *words, file = shlex.split(command_of(shown))
    assert words == ["disttrack", "run"]
    assert Path(file).samefile(name)


def test_a_load_that_can_not_exceed_what_is_allowed_costs_nothing() -> None:
    service = service_of(6, 100.0, 1.0, 104.0, 0.05, 0.01)
    best = advise(service)[0]
    assert (best.protocol.kind, best.words, best.promised) == ("batch-quota", 0, 0.04)
    assert "control" not in scenario_of(best, service), "nothing can break it"


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("any_window", "overshoot", "sites"), [(False, 0.0, 1), (False, 0.1, 30), (True, 0.0, 4), (True, 0.002, 8)]
)
def test_a_bound_is_never_below_what_games_have(any_window: bool, overshoot: float, sites: int) -> None:
    service = service_of(sites, 50.0, 1.0, None, overshoot, 0.0, any_window)
    for protocol in candidates(service):
        found = settled(protocol, service, 3)
        assert found.words <= bound(protocol, service) + 1e-6, protocol
        assert found.overshoot <= found.promised <= overshoot + 1e-9, protocol


def test_a_limit_for_any_window_is_kept_at_boundaries_too() -> None:
    words = ("--quota", "200/s", "--sites", "4", "--overshoot", "0%", "--any")
    shown = disttrack("advise", "quota", *words, "--out", "any.yaml").stdout
    assert "cheapest:      sliding-lease" in shown
    played = disttrack("run", "any.yaml", "--no-figures", "--workers", "1", "--set", "trials=1").stdout
    assert "PASS     no window admits more than is allowed" in played
    assert "boundary" in Path("any.yaml").read_text(encoding="utf-8")
    # the scenario judges any protocol put in: one that keeps its limit in each window only does not pass
    lease = disttrack("run", "any.yaml", "--no-figures", "--workers", "1", "--set", "protocol=lease")
    assert lease.exit_code == 1
    assert "FAIL     no window admits more than is allowed" in lease.stdout


@pytest.mark.parametrize(("one", "other"), [("100us", "0.1ms"), ("60000ms", "1min"), (".3s", "300ms")])
def test_one_duration_is_one_number(one: str, other: str) -> None:
    """Seen: the journal of a server refused the same step in another unit."""
    assert DURATION.convert(one, None, None) == DURATION.convert(other, None, None)


@pytest.mark.parametrize("rate", [20.0, 50_000.0])
def test_a_service_that_nothing_suits(rate: float) -> None:
    """Seen: what was not played, since it has too many messages, counted as wasting nothing at any latency."""
    with pytest.raises(ScenarioError, match="no protocol keeps this overshoot"):
        advise(service_of(8, rate, 1.0, None, 0.01, 5.0))


@pytest.mark.parametrize("latency", [0.0, 0.1, 0.3, 0.4, 0.45, 0.5, 1.0])
def test_what_is_not_played_wastes_what_it_has_no_answers_for(latency: float) -> None:
    """Seen: at 20 ms of a second a protocol was ranked last, since it was not played, that uses all of its limit."""
    service = service_of(4, 100.0, 1.0, None, 0.05, latency)
    for protocol in (Central(service.limit, service.window), CountdownQuota(service.limit, service.window)):
        played, unplayed = (settled(protocol, service, 1, longest).utilisation for longest in (inf, 0.0))
        assert abs(played - unplayed) <= 0.01


LARGE = [service_of(4, 4000.0, 1.0, 12_000.0, 0.05, latency, any) for latency in (0.0, 0.005) for any in (False, True)]
RANKED = [(service, protocol) for service in LARGE for protocol in candidates(service)]


@pytest.mark.drawn(8)
@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("service", "protocol"), RANKED, ids=[f"{one.kind}-{one.shape}-{place.latency}" for place, one in RANKED]
)
def test_a_smaller_window_is_played_for_a_large_one(
    service: Service, protocol: Quota, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen: 600,000 per minute were played in 1.8 million steps, silent, for minutes.

    A tenth of the words may be missed, a fifth if limits are sliding: what is played is said in the row. The games are
    those of `leap`, which takes less time than to compile a form.
    """
    monkeypatch.setattr(engine_choice, "available", lambda: False)
    monkeypatch.setattr(advice, "STEPS", 3_000)
    smaller = settled(protocol, service, 3, inf)
    monkeypatch.setattr(advice, "STEPS", inf)
    monkeypatch.setattr(advice, "WORDS", inf)
    full = settled(protocol, service, 3, inf)
    assert (smaller.played, full.played) == (1_000, 4_000)
    off = 0.1 if protocol.shape == "window" else 0.2
    assert smaller.words == pytest.approx(full.words, rel=off)
    assert smaller.utilisation == pytest.approx(full.utilisation, abs=0.01)
    assert smaller.overshoot <= smaller.promised == full.promised
    assert smaller.overshoot == pytest.approx(full.overshoot, abs=0.015)


def test_each_candidate_guarantees_the_overshoot() -> None:
    rng = random.Random(5)
    for _ in range(60):
        overshoot, latency = rng.choice([0.0, 0.001, 0.03, 0.3]), rng.choice([0.0, 0.001, 0.05])
        service = service_of(rng.choice([1, 4, 100]), rng.choice([10.0, 1000.0, 1e5]), 1.0, None, overshoot, latency)
        for protocol in candidates(service):
            most = protocol.worst(service.sites, service.latency, service.latency)
            assert most <= service.limit * (1 + overshoot) + 1e-6, (protocol, service)


def test_no_window_is_advised_more_than_the_rate_allows() -> None:
    """Seen: 5/s in windows of 300 ms, 1.5, was played with a limit of 2, a third above."""
    rng = random.Random(6)
    parts = 0
    for _ in range(300):
        count, unit = rng.randrange(1, 2000), rng.choice(["s", "min", "15min", "7s", "day"])
        rate = RATE.convert(f"{count / 10}/{unit}", None, None)
        seconds = Fraction(rng.randrange(1, 9000), 10)
        allowed = Fraction(count, 10) * seconds / RATE.convert(f"1/{unit}", None, None).window  # type: ignore[attr-defined]
        if allowed >= 1:
            service = service_of(3, rate, float(seconds), 10 * rate + 3 / float(seconds), 0.0, 0.0)
            assert service.limit == allowed // 1
            parts += allowed.denominator > 1
    assert parts > 100
    said = disttrack("advise", "quota", "--quota", "5/s", "--window", "300ms", "--sites", "2").stdout
    assert "4 steps are 0.3 s, with a limit of 1 (1.5, rounded down) in them" in said


@pytest.mark.slow
def test_the_first_is_the_cheapest_of_all_that_are_played() -> None:
    """Within 5 %, in all services but one; other seeds than those of the advice, and all candidates played."""
    services = [
        service_of(sites, 100.0, 1.0, None, overshoot, latency)
        for sites in (4, 32)
        for overshoot, latency in ((0.01, 0.0), (0.1, 0.02))
    ]
    right = 0
    for service in services:
        first = advise(service)[0]
        games = [settled(protocol, service, 1) for protocol in candidates(service)]
        cheapest = min(one.words for one in games if one.utilisation >= LEAST)
        right += next(one.words for one in games if one.label == first.label) <= 1.05 * cheapest
    assert right >= len(services) - 1


def heavy(count: int, name: str = "tokens.txt") -> str:
    """Write log-normal costs with a heavy tail; return the file."""
    draw = random.Random(7)
    costs = [max(1, round(draw.lognormvariate(3.0, 1.2))) for _ in range(count)]
    Path(name).write_text("".join(f"{cost}\n" for cost in costs), encoding="utf-8")
    return name


SPENDING = ("--quota", "10000/s", "--overshoot", "20%", "--duration", "100ms", "--load", "600/s")


@pytest.mark.slow
def test_what_to_reserve_wastes_least_within_what_is_proven() -> None:
    words = (*SPENDING, "--sites", "4", "--costs", heavy(200), "--out", "mine.yaml")
    shown = disttrack("advise", "quota", *words).stdout
    pattern = r"(lease|countdown-quota) +([\d.]+)% +[\d,]+ +([\d.]+) %  +([\d.]+)% +([\d.]+)%(  best)?"
    rows = [(*row[:1], *map(float, row[1:5]), row[5]) for row in re.findall(pattern, shown)]
    assert len(rows) >= 10
    assert all(overspend <= proven for *_, overspend, proven, _ in rows)
    ((_, quantile, utilisation, _, proven, _),) = (row for row in rows if row[5])
    assert proven <= 20
    assert 50 < quantile < 100
    assert all(row[2] < utilisation - 3 for row in rows if row[1] == 100), "reserving the largest cost wastes more"
    played = disttrack("run", "mine.yaml", "--no-figures", "--workers", "1", "--set", "trials=1").stdout
    assert "overspends no more than is allowed" in played


@pytest.mark.drawn(4)
@pytest.mark.parametrize("times", [1.05, 4])
@pytest.mark.parametrize("content", ["", "1\n2\n30\n", "5\n5\n5\n", "log-normal"])
def test_each_claim_of_what_is_written_is_judged(content: str, times: float) -> None:
    """Seen: a claim on a reserve that nothing swept was skipped; a control without requests to fail by was vacuous."""
    words = ["--quota", "1000/s", "--window", "2s", "--sites", "3", "--overshoot", "40%"]
    if content:
        Path("tokens.txt").write_text(content, encoding="utf-8")
        words += ["--duration", "20ms", "--costs", heavy(200) if content == "log-normal" else "tokens.txt"]
    mean = np.loadtxt("tokens.txt").mean() if content else 1
    disttrack("advise", "quota", *words, "--load", f"{1000 * times / mean:.3f}/s", "--out", "mine.yaml")
    shown = disttrack("run", "mine.yaml", "--no-figures", "--workers", "1").stdout.partition("verdict")[2]
    assert re.findall("^([A-Z]+)  +(?:no window|the reserve)", shown, re.MULTILINE) == ["PASS"]


@pytest.mark.parametrize(
    ("content", "words", "said"),
    [
        (
            "5\n\n7.5\n",
            (),
            "--costs: file 'tokens.txt' cannot be read: line 3: must be a whole number from 1 to 10^12, the one",
        ),
        ("20000\n", ("--load", "1/s"), "the most expensive request costs 20,000, more than the 10,000 of a window"),
        ("5\n", ("--load", "1000/s"), "--load must be above the quota of 2000 per second; got 1000"),
        (
            "400\n",
            ("--window", "50ms", "--load", "26/s"),
            "--window must be longer: at a load of 26 per second 0.05 s bring",
        ),
    ],
)
def test_which_costs_it_refuses(content: str, words: tuple[str, ...], said: str) -> None:
    Path("tokens.txt").write_text(content, encoding="utf-8")
    assert said in refused("advise", "quota", "--quota", "10000/s", "--costs", "tokens.txt", *words)


@pytest.mark.drawn(6)
@pytest.mark.parametrize("seed", range(20))
def test_no_other_rate_proves_a_smaller_excess(seed: int) -> None:
    """On one grid of rates, 5 % apart, up to 4.4 % more was reserved: the least bound is often at a corner."""
    rng = np.random.default_rng(seed)
    costs = np.maximum(1, rng.pareto(1.2, int(rng.integers(20, 2000))) * 10 ** rng.uniform(1, 3)).astype(np.int64)
    reserve = int(np.quantile(costs, rng.uniform(0, 0.99)))
    most, exponent = 10 ** rng.uniform(3, 6), rng.uniform(3, 60)
    beyond = (costs - reserve).astype(float)
    tried = np.geomspace(1e-6, 1e3, 4_000) / beyond.max()
    moments = [rate * beyond.max() + log(np.exp(rate * (beyond - beyond.max())).mean()) for rate in tried]
    least = min(most * beyond.max(), ((most * np.maximum(0, moments) + exponent) / tried).min())
    assert excess(costs, reserve, most, exponent) <= least * 1.001


@pytest.mark.false_alarm(1e-6)
@pytest.mark.parametrize("reserve", [1, 20, 60])
def test_what_is_proven_of_late_costs_holds_for_sums_of_costs(reserve: int) -> None:
    """A fall to a mean in place of the bound is exceeded by half of the sums."""
    costs = np.maximum(1, np.random.default_rng(5).lognormal(3.0, 1.2, 500).round()).astype(np.int64)
    sums = (np.random.default_rng(6).choice(costs, (2_000, 200)) - reserve).sum(axis=1)
    bound = excess(costs, reserve, 200, log(1e9))
    assert sums.max() <= bound  # 2,000 sums, each with 1e-9
    assert bound <= 200 * (costs.max() - reserve)
    assert (sums > 200 * max(0.0, costs.mean() - reserve)).mean() < 0.6
