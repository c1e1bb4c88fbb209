"""Reading YAML: values of YAML 1.2 and nothing else, and no text that takes long or breaks the reader."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.entries import value_of
from disttrack.simulator.kinds.yaml_values import MOST_LEVELS, MOST_VALUES, YamlError, read_yaml


def test_each_value_has_the_line_of_its_key() -> None:
    data, lines = read_yaml("a: 1\nb:\n  - {kind: x}\n  - kind: y\n    n:\n      3\nc: &c {d: 4}\ne: *c")
    assert data["b"][1] == {"kind": "y", "n": 3}
    assert data["e"] == {"d": 4}
    wanted = {("a",): 1, ("b",): 2, ("b", 0): 3, ("b", 0, "kind"): 3, ("b", 1): 4, ("b", 1, "n"): 5, ("e",): 8}
    assert {place: lines[place] for place in wanted} == wanted


def test_an_alias_is_a_copy() -> None:
    data, _ = read_yaml("a: &a [1]\nb: *a")
    data["a"].append(2)
    assert data["b"] == [1]


def test_aliases_that_multiply_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(YamlError, match=f"more than {MOST_VALUES:,} values"):
        read_yaml("\n".join(lines))


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("[" * 5_000, f"more than {MOST_LEVELS} levels deep", None),
        ("[" * 60 + "]" * 60, f"more than {MOST_LEVELS} levels deep", 1),
        ("x" * 400_000, "400,000 letters", None),
        ("9" * 5_000, "5,000 digits", 1),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(text: str, message: str, line: int | None) -> None:
    with pytest.raises(YamlError, match=message) as caught:
        read_yaml(text)
    assert "\n" not in str(caught.value)
    assert line is None or caught.value.line == line


@given(st.text(alphabet=st.sampled_from("ab:1-.,[]{}&*!|>'\"\\<_eExX~#\n \tU0fF²"), max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    message = ""
    try:
        value_of(text)
    except ScenarioError as error:
        message = str(error)
    assert "\n" not in message
