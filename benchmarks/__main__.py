"""The command: ``python -m benchmarks [--quick] [--only goals|scaling] [--out DIR]``."""

from __future__ import annotations

import csv
import json
import os
import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from benchmarks.goals import PARTS, Suite
from benchmarks.measured import row
from benchmarks.scaling import exponents, measure
from disttrack.simulator.experiments.results.files import write_text, writing


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("results/benchmarks"), show_default=True)
@click.option("--quick", is_flag=True, help="Small games, one run each: a test of the suite itself.")
@click.option("--part", "parts", type=click.Choice(PARTS), multiple=True, help="Only these parts of the goals.")
@click.option("--only", type=click.Choice(["goals", "scaling"]), help="One of the two parts.")
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="Runs per median.")
@click.option("--limit", type=float, default=3.0, show_default=True, help="Longest run of scaling, in seconds.")
def main(out: Path, quick: bool, parts: tuple[str, ...], only: str | None, repeats: int, limit: float) -> None:
    """Measure the engines against baselines of the same run; write tables."""
    out.mkdir(parents=True, exist_ok=True)
    if quick:
        repeats, limit = 1, 0.1
    write_text(out / "machine.json", json.dumps({**_machine(), "repeats": repeats, "quick": quick}, indent=2) + "\n")
    failed = _goals(out, repeats, 0.002 if quick else 1.0, parts) if only != "scaling" else 0
    if only != "goals":
        _scaling(out, repeats, limit)
    click.echo(f"written to {out}")
    if failed and not quick:
        raise SystemExit(f"{failed} of the goals are not met")


def _goals(out: Path, repeats: int, scale: float, parts: tuple[str, ...]) -> int:
    failed = 0
    with writing(out) as start:
        names = ["what", "value", "unit", "baseline", "ratio", "wanted", "met"]
        writer = csv.DictWriter(start("goals.csv"), names, lineterminator="\n")
        writer.writeheader()
        for figure in Suite(repeats, scale).figures(parts):
            cells = row(figure)
            writer.writerow(cells)
            failed += figure.met is False
            ratio = f"ratio {cells['ratio']} to {cells['baseline']}" if cells["ratio"] else ""
            wanted = f"[{cells['wanted']}: {cells['met']}]" if cells["wanted"] else ""
            click.echo(f"{cells['what']}: {figure.value:,.4g} {figure.unit}  {ratio}  {wanted}")
    return failed


def _scaling(out: Path, repeats: int, limit: float) -> None:
    points = []
    for point in measure(repeats, limit):
        points.append(point)
        click.echo(f"{point.line}: {point.against} {point.x:,}: {point.seconds:.4g} s, {point.messages:,} messages")
    fitted = exponents(points)
    with writing(out) as start:
        names = ["against", "line", "x", "seconds", "messages", "exponent"]
        writer = csv.DictWriter(start("scaling.csv"), names, lineterminator="\n")
        writer.writeheader()
        for point in points:
            power = fitted.get((point.against, point.line))
            exponent = "" if power is None else f"{power:.3f}"
            writer.writerow({**asdict(point), "seconds": f"{point.seconds:.5g}", "exponent": exponent})
    for (against, line), power in fitted.items():
        click.echo(f"{line}: time grows as {against}^{power:.2f}")


def _machine() -> dict[str, Any]:
    versions: dict[str, str] = {"python": platform.python_version()}
    for name in ("numpy", "simpy", "numba", "disttrack"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = ""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "model": _model(),
        "cores": os.cpu_count(),
        "versions": versions,
    }


def _model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


if __name__ == "__main__":
    main()
