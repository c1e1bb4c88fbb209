"""The statements of Qiu, Yi: private answers on data that grows and shrinks."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.fully_dynamic import FULLY_DYNAMIC
from simulator.claims.statements.statement import Paper, Statement, Tested

VECTOR: Final = "tests/mechanisms/test_above_threshold.py"
LEDGER: Final = "tests/mechanisms/accounting/test_budget_ledger.py"
GROWING: Final = "tests/mechanisms/dynamic/test_growing.py"
STATIC: Final = "tests/mechanisms/static/test_static_formulas.py"
WHOLE: Final = "tests/mechanisms/dynamic/test_dynamic_privacy.py"
DYNAMIC: Final = "tests/mechanisms/dynamic/test_fully_dynamic.py"
PARTS: Final = "tests/mechanisms/test_partition_privacy.py"
EXACT: Final = "tests/simulator/tasks/test_exact_losses.py"

DYNAMIC_DATA: Final = Paper(
    "Dynamic data",
    "Qiu, Yi 2022, Differential Privacy on Dynamic Data",
    (
        Statement(
            "Section 1.2, multiplicative weights",
            "Private multiplicative weights err by O(n^(2/3)) (pure) and O(n^(1/2)), k of them by k times that.",
            tests=(
                Tested(
                    f"{STATIC}::test_the_stated_error_of_weights_grows_by_the_powers_of_the_paper",
                    "slopes of 0.667 and 0.5 of the stated errors from 2^32 to 2^44 items, with as many rounds as are "
                    "best; k releases at most k of these",
                    "a hundred rounds at most: slope 1",
                ),
            ),
        ),
        Statement(
            "Table 1, binary",
            "Over T steps the binary tree errs by O(log^1.5(T) / epsilon).",
            tests=(
                Tested(
                    f"{PARTS}::test_trees_err_by_the_power_three_halves_of_the_logarithm_of_the_time",
                    "exact worst standard deviations from T = 2^8 to 2^60 grow like log^1.5",
                    "a noise an item: sqrt(T)",
                ),
            ),
        ),
        Statement(
            "Table 1, hybrid",
            "Without a horizon O(log^1.5(t) / epsilon) is reached.",
            tests=(
                Tested(
                    f"{PARTS}::test_trees_err_by_the_power_three_halves_of_the_logarithm_of_the_time",
                    "exact worst standard deviations from T = 2^8 to 2^60 grow like log^1.5",
                    "a noise an item: sqrt(T)",
                ),
            ),
        ),
        Statement(
            "Table 1, sparse",
            "With n_t items in T steps O((log^1.5(n_t) + log T) / epsilon) is.",
            tests=(
                Tested(
                    f"{PARTS}::test_a_counter_of_few_items_errs_by_the_logarithm_of_the_time",
                    "its exact bound grows like log T at most, and like log^1.5 of the items",
                    "the binary counter's bound: log^1.4 T and more",
                ),
            ),
        ),
        Statement(
            "Table 1, infinite sparse",
            "Without a horizon O((log^1.5(n_t) + log t) / epsilon) is.",
            tests=(
                Tested(
                    f"{PARTS}::test_a_counter_of_few_items_errs_by_the_logarithm_of_the_time",
                    "its exact bound grows like log T at most, and like log^1.5 of the items",
                    "the binary counter's bound: log^1.4 T and more",
                ),
                Tested(
                    f"{PARTS}::test_without_a_horizon_the_error_follows_the_time_that_has_passed",
                    "after 1,000 steps its bound knows nothing of 2^60 steps to come",
                    "the sparse counter with a horizon",
                ),
            ),
        ),
        Statement(
            "Theorem 2",
            "Sequential composition: privacy losses add up.",
            tests=(
                Tested(
                    f"{EXACT}::test_losses_of_releases_of_the_same_data_add_up_and_of_disjoint_data_the_largest_counts",
                    "exact losses of three releases: 1 + 1/2 + 1/4 of the same item",
                    "of disjoint items: 1",
                ),
            ),
        ),
        Statement(
            "Theorem 3",
            "Parallel composition: over disjoint data the largest loss counts.",
            tests=(
                Tested(
                    f"{EXACT}::test_losses_of_releases_of_the_same_data_add_up_and_of_disjoint_data_the_largest_counts",
                    "exact losses of three releases: 1 of 1, 1/2 and 1/4 of disjoint items",
                    "of the same item: 1.75",
                ),
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
                Tested(
                    f"{EXACT}::test_silence_loses_the_thresholds_noise_and_firing_all",
                    "queries that move as they like lose all of epsilon, sums of one stream half of it",
                    "another scale",
                ),
            ),
        ),
        Statement(
            "Theorem 4, silent below",
            "It does not halt by t1 if all queries are below theta - (8 / epsilon) ln(2 t1 / beta), save with "
            "probability beta.",
            tests=(
                Tested(
                    f"{PARTS}::test_it_is_silent_well_below_the_threshold",
                    "the exact chance to halt within 1 to 10^6 such queries is at most beta",
                    "four times the noise",
                ),
            ),
        ),
        Statement(
            "Theorem 4, fires above",
            "It halts by t2 if that query is at least theta + (6 / epsilon) ln(2 / beta), save with probability beta.",
            tests=(
                Tested(
                    f"{PARTS}::test_it_fires_well_above_the_threshold",
                    "the exact chance to halt at once is at least 1 - beta",
                    "four times the noise",
                ),
            ),
        ),
        Statement(
            "Theorem 4, above when it fires",
            "Where it halts by t2 the query is at least theta - (6 / epsilon) ln(2 t2 / beta), save with "
            "probability beta.",
            tests=(
                Tested(
                    f"{PARTS}::test_where_it_fires_the_query_is_not_far_below_the_threshold",
                    "the exact chance to fire at any of t queries further below is at most beta",
                    "twice the noise",
                ),
            ),
        ),
        Statement(
            "Definition 5",
            "A mechanism with declaration: private on the data that it says it used, blind to the rest.",
            tests=(
                Tested(
                    f"{PARTS}::test_a_test_declares_the_steps_that_it_has_used",
                    "all streams of 6 bits: within e^epsilon in the segment that a test closes, and exactly "
                    "alike after it",
                    "a test that looks one step ahead; a quarter of the noise",
                ),
                Tested(
                    f"{DYNAMIC}::test_every_update_counts_in_the_partition_whether_it_finds_its_item_or_not",
                    "an update that is missing moves the segment of its own step only",
                ),
                Tested(
                    f"{WHOLE}::test_a_deletion_now_or_later_costs_no_more",
                    "a deletion that comes now or by a later update changes releases by an item each, and none by two",
                ),
            ),
        ),
        Statement(
            "Theorem 6",
            "Adaptive parallel composition: mechanisms with disjoint declarations lose epsilon together.",
            tests=(
                Tested(
                    f"{PARTS}::test_tests_on_disjoint_segments_lose_as_much_as_one",
                    "all streams of 6 bits, the second test chosen by the first one's answer: what one test loses",
                    "two tests on the same segment",
                ),
                Tested(
                    f"{EXACT}::test_half_of_the_noise_is_caught_and_all_of_it_stands",
                    "the private partition loses what one of its tests does",
                    "half of the noise",
                ),
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
                    f"{PARTS}::test_no_segment_has_more_items_than_the_logarithm_of_the_time",
                    "at most 13 ln(2 T_j / beta_j) / epsilon items a segment, over dense streams and thin ones",
                    "three times the thresholds",
                ),
                Tested(
                    f"{VECTOR}::test_segments_hold_as_many_items_as_planned",
                    "over a dense stream each segment has also the thirteenth part of that, or has timed out",
                ),
            ),
        ),
        Statement(
            "Lemma 7, segments",
            "There are O(n_t + log log t) of them.",
            tests=(
                Tested(
                    f"{PARTS}::test_there_are_few_segments",
                    "at most n_t + 2 + log2 log2 t, for 0, 64 and 3,000 items",
                    "thresholds at 0",
                ),
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
                    f"{PARTS}::test_the_error_of_a_sparse_counter_is_that_of_few_releases_and_an_open_segment",
                    "errors of the sparse counter stay below the tail of its releases and an open segment",
                    "ten times the thresholds",
                ),
                Tested(
                    f"{PARTS}::test_a_counter_of_few_items_errs_by_the_logarithm_of_the_time",
                    "its exact bound grows like log T at most, and like log^1.5 of the items",
                    "the binary counter's bound: log^1.4 T and more",
                ),
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
        *FULLY_DYNAMIC,
    ),
)
