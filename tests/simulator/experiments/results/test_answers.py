"""The table that answers a task's question: what is a column, what stands in the subtitle, what games become."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean, median
from typing import ClassVar

import pandas as pd
import pytest

from disttrack.simulator.experiments.results.answers import AnswerTable, answer_table
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.stored import text_rows
from disttrack.simulator.experiments.scenario.settings import UNSET, Setting
from disttrack.simulator.game.tasks.answers import USUAL, Answer, answers_of, ratio
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.registry import kinds
from tests.simulator.synthetic_results import write_claims, write_result

REFERENCE = Path(__file__).parents[4] / "results" / "reference"


def edit(folder: Path, change) -> Results:
    """Change the games of a result."""
    path = folder / "trials.csv"
    trials = pd.read_csv(path)
    change(trials)
    trials.to_csv(path, index=False)
    return Results(folder)


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    write_result(tmp_path, protocols=("deterministic", "randomized"), sites=(16, 64), trials=4)
    return tmp_path


def test_the_headline_is_the_finding_while_all_claims_hold_else_the_question(counted: Path) -> None:
    manifest = json.loads((counted / "manifest.json").read_text(encoding="utf-8"))
    manifest["scenario"] |= {"question": "Who holds?", "finding": "All of them hold"}
    (counted / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert answer_table(counted).title == "Who holds?", "there are no claims"
    for verdicts, headline in (
        (("PASS", "PASS"), "All of them hold"),
        (("PASS", "FAIL"), "Who holds?"),
        (("PASS", "SKIPPED"), "Who holds?"),
        (("VACUOUS",), "Who holds?"),
    ):
        write_claims(counted, *({"name": f"claim {number}", "verdict": each} for number, each in enumerate(verdicts)))
        assert answer_table(counted).title == headline, verdicts


def test_of_texts_the_most_frequent_one_is_shown(counted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def change(trials: pd.DataFrame) -> None:
        trials["engine"] = ["leap"] * 5 + ["step"] + ["leap"] * (len(trials) - 6)

    monkeypatch.setattr(Count, "answers", (Answer("played by", "its engine", "engine"),))
    table = answer_table(edit(counted, change))
    assert [row[-1] for row in table.texts[:3]] == ["leap", "leap (3 of 4)", "leap"]
    assert [row[-1] for row in table.values[:2]] == ["leap", "leap"]


@pytest.mark.parametrize(
    ("name", "values", "kinds", "words"),
    [
        ("sites", (16, 16), ("", ""), "sites=16"),
        ("centred", (True, None), ("deterministic", "robust"), "centred=true (deterministic)"),
        ("delta", (0.5, 0.1, 0.5), ("robust", "block", "copies"), "delta=0.5 (robust, copies), delta=0.1 (block)"),
        ("delta", (UNSET, None), ("randomized", "exact"), ""),
    ],
)  # fmt: skip
def test_parameters_in_words(name: str, values: tuple[object, ...], kinds: tuple[str, ...], words: str) -> None:
    assert Setting("", name, name, "", values, kinds, (), (False,) * len(values)).words() == words


def of_each_task() -> dict[str, str]:
    """Return for each registered task the reference with the smallest table of games."""
    found = {}
    for table in sorted(REFERENCE.glob("*/trials.csv*"), key=lambda path: path.stat().st_size, reverse=True):
        manifest = json.loads((table.parent / "manifest.json").read_text(encoding="utf-8"))
        task = manifest["scenario"].get("task", "count")
        if task in kinds("task"):
            found[task] = table.parent.name
    return found


def hold_full(table: AnswerTable, results: Results) -> None:
    """Hold that a table has a row for each point and no column without values."""
    assert len(table.texts) == results.trials["point"].nunique()
    assert len(set(table.headers)) == len(table.headers)
    for place, column in enumerate(table.columns):
        assert any(row[place] for row in table.texts), f"{column.header} is blank"
        if column.kind == "setting" and len(table.texts) > 1:
            assert len({row[place] for row in table.texts}) > 1, f"{column.header} is the same everywhere"
    assert sum(column.kind == "answer" for column in table.columns) >= 1
    assert all(column.says for column in table.columns)
    if (results.trials["verdict"] == "undecided").all():
        assert "held" not in table.headers


SECOND_WAY = {"median": median, "mean": fmean, "largest": max, "least": min}


def cell_by_hand(answer: Answer, games: list[dict[str, str]]) -> float | None:
    """Return an answer of the games of a point, rows of trials.csv as texts; None if there is none."""
    texts = [game[str(answer.of)] for game in games if game["verdict"] != "error"]
    if answer.how == "held":
        texts = [str(text == "ok") for text in texts if text in ("ok", "failed")]
    values = [text for text in texts if text]
    if not values:
        return None
    if answer.how in ("held", "share"):
        return values.count("True") / len(values)
    return SECOND_WAY[answer.how](map(float, values))


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("name", of_each_task().values())
def test_the_reference_of_each_task_has_a_full_table_of_the_numbers_of_its_games(name: str) -> None:
    results = Results(REFERENCE / name)
    table = answer_table(results)
    hold_full(table, results)
    points: dict[int, list[dict[str, str]]] = defaultdict(list)
    for row in text_rows(REFERENCE / name / "trials.csv"):
        points[int(row["point"])].append(row)
    checked = 0
    for answer in answers_of(results.task):
        column = str(answer.of)
        if answer.header not in table.headers or column not in points[0][0] or answer.how == "fact":
            continue
        if not pd.api.types.is_numeric_dtype(results.trials[column]) and answer.how not in ("held", "share"):
            continue  # texts
        place = table.headers.index(answer.header)
        wanted = [cell_by_hand(answer, points[point]) for point in sorted(points)]
        assert [row[place] for row in table.values] == pytest.approx(wanted), answer.header
        checked += 1
    assert checked


def test_a_task_that_declares_no_answers_shows_its_columns() -> None:
    class Own(Count):
        columns: ClassVar = ("busiest", "how_uneven")

    class Plain(Task):
        columns: ClassVar = ("busiest",)

    assert [answer.header for answer in answers_of(Own)][-2:] == ["busiest", "how uneven"]
    assert [answer.header for answer in answers_of(Plain)] == [*(answer.header for answer in USUAL), "busiest"]
    assert answers_of(Count) == list(Count.answers)


def test_a_ratio_to_nothing_is_nothing() -> None:
    games = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 4.0]})
    divided = ratio("a", "b")(games)
    assert divided.isna().tolist() == [True, False]
    assert divided.iloc[1] == 0.5
