"""Settings (``--set key=value``): each key with each bad value is answered in lines, also in a file of two parts."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.load import load

ONE: Final = """\
name: one
sites: 4
items: 100
protocol: {kind: deterministic, alpha: 0.1}
adversary: freeze
claims: [{name: a, measure: fraction(ok), at_least: 0.5}]
plots: [cost]
"""
TWO: Final = """\
name: two
items: 100
protocol: {kind: deterministic, alpha: 0.1}
adversary: freeze
parts: {few: {sites: 2}, many: {sites: 9, protocol: exact}}
claims: [{name: a, measure: fraction(ok), at_least: 0.5}]
plots: [cost]
"""
KEYS: Final = (
    *("name", "question", "task", "task.kind", "seed", "trials", "sites", "sites.0", "sites[0]", "items", "alpha"),
    *("protocol", "protocol.kind", "protocol.alpha", "protocol.0", "protocol[0]", "adversary", "adversary.kind"),
    *("network", "network.latency", "engine", "zip", "zip.0", "plots", "plots.0", "plots.0.kind", "plots.0.x"),
    *("parts", "parts.few", "parts.few.sites", "parts.few.protocol", "parts.0", "parts[0]", "parts.-1.sites"),
    *("claims", "claims.0", "claims.0.at_most", "claims[0].at_most", "claims.-1.at_most", "claims.9.at_most"),
    *("-1", "0", ".", "..", "[", "a[", "protocol.", ".protocol", "claims.*.at_most"),
    *("claims.0.where", "claims.0.control", "²", "", "\udcff", ".".join("x" * 1000)),
)
VALUES: Final = (
    *("-1", "1", "1.5", "1e400", ".nan", ".inf", "null", "true", "x", "''", "2024-01-01", "2020-13-01", "1_000"),
    *("9007199254740993.0", "9" * 5000, "a" * 3000, '"\\UFFFFFFFF"', '"\\ud800"', "\udcff", "\x00", "::", "x.py:Y"),
    *("[]", "{}", "[1]", "[[1]]", "[{}]", "[x, 3]", "{a: 1}", "{1: 2}", "{kind: 3}", "{kind: null}", "{kind: []}"),
    *("{kind: exact, 1: 2}", "{kind: freeze, 1: 2}", "{name: a, measure: fraction(ok), at_least: .5, 1: 2}"),
    *("[1,", "{a: 1, a: 2}", "*a", "&a [*a]", "{? [1] : 2}", "!!python/object:os.abort x"),
)


@pytest.mark.drawn(25)
@pytest.mark.parametrize("key", KEYS, ids=lambda key: ascii(key[:20]))
@pytest.mark.parametrize("text", [ONE, TWO], ids=["one", "two"])
def test_a_bad_value_of_a_setting_is_no_traceback(text: str, key: str, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text, encoding="utf-8")
    for value in VALUES:
        with suppress(ScenarioError):  # anything else is a traceback of the command line
            load(file, [f"{key}={value}"])
