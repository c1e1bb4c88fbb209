"""The claims of a page: verdict, measured value, that of the control, interval and bound."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from disttrack.simulator.experiments.claims.false_alarm import bounds_dependence
from disttrack.simulator.experiments.claims.findings import MEANINGS, NO_CONTROL_FAILS
from disttrack.simulator.experiments.results.formats import cell, chance, interval, number
from disttrack.simulator.experiments.results.stored import Plain
from disttrack.simulator.kinds.names import titled
from disttrack.simulator.shown.pages.html import Html, section, table, verdict
from disttrack.simulator.shown.report.games import meanings

if TYPE_CHECKING:
    import pandas as pd


def claims(outcomes: pd.DataFrame, scenario: Plain) -> Html:
    """Return the section; `scenario` has the claims as they were written, with the reasons for having no control."""
    if outcomes.empty:
        return section("Claims", Html("<p>The scenario makes no claims.</p>"), anchor="claims")
    written = {str(claim.get("name")): claim for claim in scenario.get("claims") or []}
    records = outcomes.to_dict("records")
    rows: list[list[object]] = []
    for row in records:
        claim = written.get(str(row["name"]), {})
        title = titled(cell(row["name"]), cell(row.get("group")))
        value = number(row["value"])
        rows.append(
            [
                verdict(str(row["verdict"])),
                (value, float(row["value"])) if value else cell(row["note"]),
                cell(row["bound"]),
                Html("{}{}<br><code>{}</code>{}", title, _source(claim), measure_of(row), _note(row) if value else ""),
                (interval(row["low"], row["high"]), row["low"]),
                _control(row, claim),
                (chance(row.get("false_alarm"), bounds_dependence(str(row["measure"]))), row.get("false_alarm")),
                (number(row.get("power")), row.get("power")),
                number(row["games"]),
            ]
        )
    held = int((outcomes["verdict"] == "PASS").sum())
    text = Html("<p>{} of {} claims hold.</p>", held, len(outcomes))
    heads = ["verdict", "measured", "bound", "claim", "95 % interval", "control", "false alarm", "power", "games"]
    failing = {place for place, row in enumerate(records) if row["verdict"] not in ("PASS", "UNDECIDED", "SKIPPED")}
    open_ones = {place for place, row in enumerate(records) if row["verdict"] in ("UNDECIDED", "SKIPPED")}
    shown = table(heads, rows, (1, 2, 4, 6, 7, 8), says="Claims and measured values", failing=failing, lost=open_ones)
    says = MEANINGS | {
        "verdict": f"{NO_CONTROL_FAILS}; UNDECIDED: too few games; SKIPPED: none"
    }
    return section("Claims", text, shown, meanings(says), anchor="claims")


def measure_of(row: Mapping[Hashable, object]) -> str:
    """Return the measure of a claim, with the condition on its games."""
    return " where ".join(filter(None, (cell(row["measure"]), cell(row["where"]))))


def _note(row: Mapping[Hashable, object]) -> Html:
    """Return why a measured claim has its verdict, if a line says so."""
    return Html("<br><small>{}</small>", cell(row["note"])) if cell(row["note"]) else Html("")


def _source(claim: Plain) -> Html:
    """Return the statements that a claim tests."""
    source = claim.get("source")
    names = ", ".join(source) if isinstance(source, list) else source
    return Html(" <small class='quiet'>({})</small>", names) if names else Html("")


def _control(row: Mapping[Hashable, Any], claim: Plain) -> object:
    """Return the value of the control and its fault, or the reason why there is none."""
    if claim.get("no_control"):
        return Html("<small>none: {}</small>", claim["no_control"])
    value = row.get("control")
    return Html("{}<br><small>{}</small>", number(value), cell(row.get("broken"))), value


def outcomes(claims: pd.DataFrame) -> Html:
    """Return a row per claim; nothing if there is none."""
    if claims.empty:
        return Html("")
    rows = [
        [
            verdict(str(row["verdict"])),
            Html("{}<br><code>{}</code>", titled(cell(row["name"]), cell(row.get("group"))), measure_of(row)),
            number(row["value"]) or cell(row["note"]),
            cell(row["bound"]),
        ]
        for row in claims.to_dict("records")
    ]
    shown = table(["verdict", "claim", "measured", "wanted"], rows, (2, 3), says="Claims and measured values")
    return section("Claims", shown, anchor="claims")
