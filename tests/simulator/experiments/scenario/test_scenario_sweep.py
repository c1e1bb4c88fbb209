"""Lists are swept, scalars fixed, groups move together."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.simulator.experiments.scenario.sweep import combinations
from disttrack.simulator.kinds.point import PointError


def values(data: dict[str, Any], groups: list[list[str]] | None = None) -> list[dict[str, Any]]:
    return [combination.values for combination in combinations(data, groups or [])]


def test_lists_inside_entries_belong_to_their_entry() -> None:
    result = values({"protocol": [{"kind": "a", "alpha": [1, 2]}, {"kind": "b"}]})
    assert result == [
        {"protocol": {"kind": "a", "alpha": 1}},
        {"protocol": {"kind": "a", "alpha": 2}},
        {"protocol": {"kind": "b"}},
    ]


def test_a_list_inside_a_list_is_a_value() -> None:
    assert values({"protocol": {"kind": "a", "shape": [[1, 2], [3]]}}) == [
        {"protocol": {"kind": "a", "shape": [1, 2]}},
        {"protocol": {"kind": "a", "shape": [3]}},
    ]


def test_places_say_where_in_the_file_a_value_stands() -> None:
    (_, second) = combinations({"protocol": [{"kind": "a", "alpha": [1, 2]}]})
    assert second.place(("protocol", "alpha")) == ("protocol", 0, "alpha", 1)
    assert second.place(("protocol", "kind")) == ("protocol", 0, "kind")


def test_a_group_moves_together_across_all_entries() -> None:
    data = {
        "sites": [16, 64],
        "protocol": [{"kind": "a", "alpha": [1, 2]}, {"kind": "b", "alpha": [3, 4]}, {"kind": "c", "alpha": 5}],
    }
    result = [
        (v["sites"], v["protocol"]["kind"], v["protocol"]["alpha"]) for v in values(data, [["sites", "protocol.alpha"]])
    ]
    assert result == [
        (16, "a", 1), (16, "b", 3), (16, "c", 5),
        (64, "a", 2), (64, "b", 4), (64, "c", 5),
    ]  # fmt: skip


def test_a_group_may_name_one_entry_or_whole_entries() -> None:
    data = {"sites": [1, 2], "protocol": [{"kind": "a", "alpha": [1, 2]}, {"kind": "b", "alpha": [3, 4]}]}
    one = [(v["sites"], v["protocol"]["alpha"]) for v in values(data, [["sites", "protocol.0.alpha"]])]
    assert one == [(1, 1), (1, 3), (1, 4), (2, 2), (2, 3), (2, 4)]
    whole = [(v["sites"], v["protocol"]["kind"]) for v in values(data, [["sites", "protocol"]])]
    assert whole == [(1, "a"), (1, "a"), (2, "b"), (2, "b")]


def test_a_scalar_in_a_group_is_fixed() -> None:
    assert len(values({"sites": 4, "items": [1, 2]}, [["sites", "items"]])) == 2


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([["sites", "items"]], "one length"),
        ([["sites", "protocol.beta"]], "nothing at 'protocol.beta'"),
    ],
)
def test_groups_that_cannot_be(groups: list[list[str]], message: str) -> None:
    with pytest.raises(PointError, match=message):
        values({"sites": [1, 2], "items": [1, 2, 3], "protocol": {"kind": "a"}}, groups)


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
