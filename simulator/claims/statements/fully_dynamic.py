"""The statements of Qiu, Yi on data that shrinks too: the interval tree, its nodes, and the whole mechanism."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Statement, Tested

TREE: Final = "tests/mechanisms/dynamic/test_interval_tree.py"
WHOLE: Final = "tests/mechanisms/dynamic/test_dynamic_privacy.py"
STATED: Final = "tests/mechanisms/dynamic/test_stated_errors.py"
NODE: Final = "tests/mechanisms/dynamic/test_node.py"
DYNAMIC: Final = "tests/mechanisms/dynamic/test_fully_dynamic.py"

FULLY_DYNAMIC: Final = (
    Statement(
        "Lemma 9",
        "The query of the online interval tree reports each live item exactly once.",
        tests=(
            Tested(
                f"{TREE}::test_each_live_item_is_reported_exactly_once",
                "each live item is in exactly one node asked, after every segment of 10,000 random sequences",
                "trees that free a node too early, or keep an item that has gone",
            ),
            Tested(
                f"{TREE}::test_online_growth_is_the_offline_tree_at_every_prefix",
                "nodes, levels and what they store are those of the tree of the definition",
            ),
        ),
    ),
    Statement(
        "Lemma 10",
        "A node of the tree, restarted when half of it is gone, is private and errs by its present size.",
        tests=(
            Tested(
                f"{DYNAMIC}::test_no_outcome_tells_neighbours_apart_by_more_than_the_tree_was_given",
                "over random streams, neighbours, and outcomes that begin rounds the loss is epsilon / 2 or less",
                "items named by their place in a list",
            ),
            Tested(
                f"{NODE}::test_it_restarts_when_half_is_gone_and_not_before",
                "without noise a round begins when half of the items and twice the bound are gone",
            ),
            Tested(
                f"{NODE}::test_the_error_right_after_a_restart_is_that_of_a_release_of_the_round",
                "right after a restart the error is Laplace noise of the new round",
                "the noise of the round before",
            ),
            Tested(
                f"{NODE}::test_noise_alone_restarts_no_node",
                "without deletions no round ends",
                "ten times the noise",
            ),
        ),
    ),
    Statement(
        "Theorem 11",
        "Over insertions and deletions the error follows the present size, but for powers of logarithms.",
        tests=(
            Tested(
                f"{DYNAMIC}::test_without_noise_answers_are_exact_where_segments_close",
                "without noise the answers are the present data, through restarts and halts",
            ),
            Tested(
                f"{WHOLE}::test_a_whole_mechanism_loses_epsilon_and_delta_at_most",
                "all outcomes forced on neighbouring streams: segments, sizes, releases and counts together are "
                "within epsilon, what differs has delta",
                "two streams with the whole budget each",
            ),
        ),
    ),
    Statement(
        "Theorem 11, multiplicative weights",
        "With multiplicative weights plugged in the error is that of one release of the present items, "
        "O(n_t^(2/3)) or O(n_t^(1/2)), but for powers of logarithms.",
        tests=(
            Tested(
                f"{STATED}::test_with_weights_the_stated_error_grows_by_the_powers_of_the_paper",
                "slopes of 0.667 and 0.5 in the items of the stated error of a chain of eight levels",
                "a hundred rounds at most: slope 1",
            ),
        ),
    ),
    Statement(
        "Lemma 12",
        "Bernstein's inequality for sub-exponential sums.",
        "a known inequality, with a constant that is not given; the tails that are used here are exact",
    ),
)
