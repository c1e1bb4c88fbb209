"""The claims of a brief report: verdict, claim with its measure, measured value and bound, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disttrack.simulator.experiments.results.formats import cell, number
from disttrack.simulator.kinds.names import titled
from disttrack.simulator.shown.pages.html import Html, section, verdict
from disttrack.simulator.shown.pages.tables import table
from disttrack.simulator.shown.report.claims import measure_of

if TYPE_CHECKING:
    import pandas as pd


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
