"""Captions: one line per figure that names axes and what is fixed, beside the figures and from the tables alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from synthetic_results import write_result

from simulator.plots import captions

REQUESTS: list[dict[str, Any]] = [
    {"kind": "cost", "x": "sites"},
    {"kind": "error", "x": "sites"},
    {"kind": "frontier", "where": "sites == 256"},
    {"kind": "matrix", "where": "sites == 256"},
    {"kind": "timeline", "where": "sites == 256"},
]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_result(tmp_path_factory.mktemp("captions") / "headline", sites=(16, 256), plots=REQUESTS, trials=3)


@pytest.mark.slow
def test_each_figure_has_a_caption_of_one_line(result: Path) -> None:
    told = captions(result)
    assert list(told) == ["cost-sites", "error-sites", "frontier", "matrix", "timeline"]
    assert all("\n" not in text and text.endswith(".") and 60 < len(text) < 900 for text in told.values())
    assert len(set(told.values())) == len(told)
    assert not list(result.glob("figures/*")), "nothing is drawn for a caption"


def test_the_function_is_there_whatever_has_been_imported() -> None:
    import simulator.plots
    import simulator.plots.caption_file

    assert callable(simulator.plots.captions), "a module of that name would take its place"
    assert simulator.plots.caption_file.FILE == "captions.json"
