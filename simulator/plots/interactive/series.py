"""Traces as the series of a figure: merged where they belong together, named, each with what a reader is told of it."""

from __future__ import annotations

from html import escape
from itertools import count
from typing import Final

from simulator.plots.interactive.layout import Panel
from simulator.plots.interactive.lines import Trace

Named = tuple[Trace, str, str]
"""A trace, the name of its series, and what it is of the series."""

_EACH: Final = ("x", "y", "base", "width")
"""What bars have one of each."""


def merged(traces: list[Named]) -> list[Named]:
    """Return traces with the bars of one series put together."""
    found: list[Named] = []
    for trace, name, role in traces:
        mine = next((one for one, *of in found if of == [name, role] and _alike(one, trace)), None)
        if mine is None:
            found.append((trace, name, role))
            continue
        for key in _EACH:
            mine[key] = [*mine[key], *trace[key]]
    return found


def _alike(one: Trace, other: Trace) -> bool:
    """Tell whether two traces are bars that lie in one direction and look the same."""
    keys = ("type", "orientation", "marker")
    return one["type"] == "bar" and all(one.get(key) == other.get(key) for key in keys)


def with_ranges(traces: list[Named]) -> list[Named]:
    """Return traces in which a line that has a band around it knows the band's ends at each of its points."""
    for trace, name, _ in traces:
        ends = trace.get("meta", {}).get("ends")
        if ends is None:
            continue
        lines = (one for one, its_name, part in traces if its_name == name and not part and one["type"] == "scatter")
        within = next((one for one in lines if one["x"] == ends[0] and not one.get("fill")), None)
        if within is not None:
            within["customdata"] = [list(pair) for pair in zip(ends[1], ends[2], strict=True)]
    return traces


def known(trace: Trace, name: str, role: str, panel: Panel) -> Trace:
    """Return a trace that stands in its panel and tells of itself under the pointer."""
    trace["xaxis"], trace["yaxis"] = panel.axis("x"), panel.axis("y")
    if trace.get("fill") and not role:
        role = "range"
    meta = {"series": name, "role": role, "panel": panel.title, "number": panel.number}
    trace["meta"] = meta | trace.get("meta", {})
    return trace


def numbered(data: list[Trace]) -> None:
    """Give every series that has no name one, and every trace what the pointer shows."""
    numbers = count(1)
    for trace in data:
        meta = trace["meta"]
        if not meta["series"]:
            cells = trace["type"] == "heatmap"
            meta["series"] = meta["role"] or ("cells" if cells else f"series {next(numbers)}")
            meta["role"] = ""
        said = meta["series"] + (f" ({meta['role']})" if meta["role"] else "")
        trace["name"] = _shown(said)
        trace["legendgroup"] = _shown(meta["series"])


def told(trace: Trace, panel: Panel) -> None:
    """Give a trace the words that the pointer shows: its name, both values, and the range around them."""
    if trace.get("hoverinfo") == "skip":
        return
    x, y = (_shown(label or which) for which, label in (("x", panel.x), ("y", panel.y)))
    lines = ["<b>" + trace["name"] + "</b>"]
    if panel.title:
        lines.append(_shown(panel.title))
    if trace["type"] == "heatmap":
        lines += ["%{y}", "%{x}", "%{z:.6~g}"]
    else:
        lines.append(_value("x", x, panel))
        true = trace["meta"].get("true")
        lines.append(_value("y", y, panel) if true is None else f"{y}: %{{text}}")
        if true is not None:
            trace["text"] = [f"{value:,.7g}" if isinstance(value, int | float) else value for value in true]
    if "customdata" in trace:
        finite = all(isinstance(end, int | float) for pair in trace["customdata"] for end in pair)
        form = ":,.6~r" if finite else ""
        lines.append(f"range: %{{customdata[0]{form}}} … %{{customdata[1]{form}}}")
    trace["hovertemplate"] = "<br>".join(lines) + "<extra></extra>"


def _value(which: str, label: str, panel: Panel) -> str:
    return f"{label}: %{{{which}}}" if which in panel.words else f"{label}: %{{{which}:,.7~r}}"


def _shown(said: str) -> str:
    """Return plain text as plotly shows it: no markup and no placeholder in it."""
    return escape(said).replace("%", "&#37;")
