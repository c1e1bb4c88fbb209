"""Lists are swept, scalars fixed, groups move together."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.simulator.experiments.scenario.sweep import combinations


def values(data: dict[str, Any], groups: list[list[str]] | None = None) -> list[dict[str, Any]]:
    return [combination.values for combination in combinations(data, groups or [])]


def test_a_list_inside_a_list_is_a_value() -> None:
    assert values({"protocol": {"kind": "a", "shape": [[1, 2], [3]]}}) == [
        {"protocol": {"kind": "a", "shape": [1, 2]}},
        {"protocol": {"kind": "a", "shape": [3]}},
    ]


def test_places_say_where_in_the_file_a_value_stands() -> None:
    (_, second) = combinations({"protocol": [{"kind": "a", "alpha": [1, 2]}]})
    assert second.place(("protocol", "alpha")) == ("protocol", 0, "alpha", 1)
    assert second.place(("protocol", "kind")) == ("protocol", 0, "kind")


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["sites", "items", "start", "engine"]),
        st.lists(st.integers(), min_size=1, max_size=4) | st.integers(),
        min_size=1,
    )
)
def test_without_groups_it_is_the_cartesian_product(data: dict[str, Any]) -> None:
    lists = [value if isinstance(value, list) else [value] for value in data.values()]
    expected = [dict(zip(data, combination, strict=True)) for combination in itertools.product(*lists)]
    assert values(data) == expected
