"""The statements of Qiu, Yi: private answers on data that grows and shrinks."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Paper, Statement, Tested

VECTOR: Final = "tests/mechanisms/test_above_threshold.py"

DYNAMIC_DATA: Final = Paper(
    "Dynamic data",
    "Qiu, Yi 2022, Differential Privacy on Dynamic Data",
    (
        Statement("Table 1, binary", "Over T steps the binary tree errs by O(log^1.5(T) / epsilon)."),
        Statement("Table 1, hybrid", "Without a horizon O(log^1.5(t) / epsilon) is reached."),
        Statement("Table 1, sparse", "With n_t items in T steps O((log^1.5(n_t) + log T) / epsilon) is."),
        Statement("Table 1, infinite sparse", "Without a horizon O((log^1.5(n_t) + log t) / epsilon) is."),
        Statement("Theorem 2", "Sequential composition: privacy losses add up."),
        Statement("Theorem 3", "Parallel composition: over disjoint data the largest loss counts."),
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
            "Definition 5", "A mechanism with declaration: private on the data that it says it used, blind to the rest."
        ),
        Statement(
            "Theorem 6", "Adaptive parallel composition: mechanisms with disjoint declarations lose epsilon together."
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
        ),
        Statement("Lemma 9", "The query of the online interval tree reports each live item exactly once."),
        Statement(
            "Lemma 10",
            "A node of the tree, restarted when half of it is gone, is private and errs by its present size.",
        ),
        Statement(
            "Theorem 11",
            "Over insertions and deletions the error follows the present size, but for powers of logarithms.",
        ),
        Statement(
            "Lemma 12",
            "Bernstein's inequality for sub-exponential sums.",
            "a known inequality, with a constant that is not given; the tails that are used here are exact",
        ),
    ),
)
