"""The statements of Qiu, Yi: private answers on data that grows and shrinks."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Paper, Statement, Tested

VECTOR: Final = "tests/mechanisms/test_above_threshold.py"
LEDGER: Final = "tests/mechanisms/accounting/test_ledger.py"
GROWING: Final = "tests/mechanisms/dynamic/test_growing.py"
TREE: Final = "tests/mechanisms/dynamic/test_interval_tree.py"
NODE: Final = "tests/mechanisms/dynamic/test_node.py"
DYNAMIC: Final = "tests/mechanisms/dynamic/test_fully_dynamic.py"

DYNAMIC_DATA: Final = Paper(
    "Dynamic data",
    "Qiu, Yi 2022, Differential Privacy on Dynamic Data",
    (
        Statement("Table 1, binary", "Over T steps the binary tree errs by O(log^1.5(T) / epsilon)."),
        Statement("Table 1, hybrid", "Without a horizon O(log^1.5(t) / epsilon) is reached."),
        Statement("Table 1, sparse", "With n_t items in T steps O((log^1.5(n_t) + log T) / epsilon) is."),
        Statement("Table 1, infinite sparse", "Without a horizon O((log^1.5(n_t) + log t) / epsilon) is."),
        Statement(
            "Theorem 2",
            "Sequential composition: privacy losses add up.",
            tests=(
                Tested(
                    f"{LEDGER}::test_in_sequence_losses_add_up",
                    "any losses in sequence add up, and one more is refused",
                    "one more loss",
                ),
            ),
        ),
        Statement(
            "Theorem 3",
            "Parallel composition: over disjoint data the largest loss counts.",
            tests=(
                Tested(
                    f"{LEDGER}::test_in_parallel_the_largest_counts",
                    "over disjoint steps the largest loss is what was spent",
                    "a part that looks at steps already used is refused",
                ),
            ),
        ),
        Statement(
            "Theorem 4, privacy",
            "The sparse vector technique is epsilon-private, whatever the number of queries.",
            tests=(
                Tested(
                    f"{VECTOR}::test_neighbours_halt_alike",
                    "exact halting chances of all pairs of neighbouring streams of seven bits are within e^epsilon",
                    "a third of the noise",
                ),
            ),
        ),
        Statement(
            "Theorem 4, silent below",
            "It does not halt by t1 if all queries are below theta - (8 / epsilon) ln(2 t1 / beta), save with "
            "probability beta.",
            tests=(
                Tested(
                    f"{VECTOR}::test_accuracy_of_theorem_four",
                    "the exact chance to halt within 1,000 such queries is below beta",
                ),
            ),
        ),
        Statement(
            "Theorem 4, fires above",
            "It halts by t2 if that query is at least theta + (6 / epsilon) ln(2 / beta), save with probability beta.",
            tests=(
                Tested(
                    f"{VECTOR}::test_accuracy_of_theorem_four", "the exact chance to halt at once is at least 1 - beta"
                ),
            ),
        ),
        Statement(
            "Theorem 4, above when it fires",
            "Where it halts by t2 the query is at least theta - (6 / epsilon) ln(2 t2 / beta), save with probability "
            "beta.",
        ),
        Statement(
            "Definition 5",
            "A mechanism with declaration: private on the data that it says it used, blind to the rest.",
            tests=(
                Tested(
                    f"{DYNAMIC}::test_every_update_counts_in_the_partition_whether_it_finds_its_item_or_not",
                    "an update that is missing moves the segment of its own step only",
                ),
            ),
        ),
        Statement(
            "Theorem 6",
            "Adaptive parallel composition: mechanisms with disjoint declarations lose epsilon together.",
            tests=(
                Tested(
                    f"{LEDGER}::test_in_parallel_nobody_looks_twice",
                    "the next test begins after the steps that the last one declared",
                    "an undeclared range, and one that begins too early, are refused",
                ),
            ),
        ),
        Statement(
            "Lemma 7, items",
            "Every segment of the infinite private partition has O(log(t / beta) / epsilon) items.",
            tests=(
                Tested(
                    f"{VECTOR}::test_segments_hold_as_many_items_as_planned",
                    "over a dense stream each segment has at most 13 ln(2 T_j / beta_j) / epsilon items",
                ),
            ),
        ),
        Statement(
            "Lemma 7, segments",
            "There are O(n_t + log log t) of them.",
            tests=(
                Tested(
                    f"{VECTOR}::test_partition_of_nothing_closes_at_repeated_squares",
                    "an empty stream is cut at 2, 4, 16, 256, 65,536",
                ),
            ),
        ),
        Statement(
            "Theorem 8",
            "Over insertions each answer errs by that of log m_t static mechanisms, and O(log(t / beta) / epsilon).",
            tests=(
                Tested(
                    f"{GROWING}::test_without_noise_new_answers_are_exact",
                    "without noise each new answer is exact, over random streams and all four mechanisms",
                ),
                Tested(
                    f"{GROWING}::test_a_count_has_the_noise_of_the_counter_of_that_name",
                    "counts have step by step the variance of the tree counters",
                ),
            ),
        ),
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
            ),
        ),
        Statement(
            "Lemma 12",
            "Bernstein's inequality for sub-exponential sums.",
            "a known inequality, with a constant that is not given; the tails that are used here are exact",
        ),
    ),
)
