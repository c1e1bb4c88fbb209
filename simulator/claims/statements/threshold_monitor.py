"""The statements of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024: lower bounds, online prediction."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Paper, Statement, Tested

MONITORS: Final = "tests/mechanisms/test_monitors.py"
BOUNDS: Final = "tests/mechanisms/test_monitor_bounds.py"
ONLINE: Final = "tests/mechanisms/test_online_thresholds.py"
PREDICTION: Final = "tests/mechanisms/prediction"

THRESHOLD_MONITOR: Final = Paper(
    "Threshold monitor",
    "Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, Lower Bounds for Differential Privacy Under Continual Observation and "
    "Online Threshold Queries",
    (
        Statement(
            "Theorem 1.5",
            "A (0.1, 1 / (100 n))-private counter of n <= log2(T) / 2 items errs by Omega(n), with a constant "
            "probability.",
            tests=(
                Tested(
                    f"{BOUNDS}::test_a_private_counter_of_few_items_errs_by_a_share_of_them",
                    "four counters at epsilon = 0.1 err by n / 4 in 40 of 40 runs, at n = log2(T) / 2",
                    "10,000 times the epsilon: in none",
                ),
                Tested(
                    f"{BOUNDS}::test_a_counter_makes_a_monitor",
                    "a counter that errs by less than k / 4 says top between k / 2 and k items",
                    "one that is off by k / 2",
                ),
            ),
        ),
        Statement(
            "Theorem 1.7",
            "No (0.1, 1 / (100 k))-private threshold monitor with k <= log2(T) / 2 is right with probability 0.99.",
            tests=(
                Tested(
                    f"{BOUNDS}::test_at_half_the_logarithm_of_the_time_the_bound_is_below_one_half",
                    "the exact chance to halt in time on the hard instance is below one half, at epsilon = 0.1 "
                    "and T = 2^(2k)",
                    "epsilon = 100: above 0.99",
                ),
            ),
        ),
        Statement(
            "Observation 1.8",
            "With k of the order of min(log(T) / epsilon, 1 / delta) there is one: sparse vectors, or revealing items.",
            tests=(
                Tested(
                    f"{BOUNDS}::test_sparse_vectors_are_right_from_the_stated_threshold_on",
                    "exact chances of both errors are at most beta at k = (8 ln(2 / beta) + 16 ln(2 T / beta)) / "
                    "epsilon",
                    "a tenth of that threshold",
                ),
                Tested(
                    f"{BOUNDS}::test_revealing_is_right_from_the_order_of_one_over_delta_on",
                    "the exact chance of an error is below 0.1 at k = 60 / delta",
                    "k = 3 / delta",
                ),
                Tested(
                    f"{MONITORS}::test_a_large_threshold_is_left_alone",
                    "with k = 32 ln(T) / epsilon the sparse-vector monitor is right in 99 % of games",
                ),
            ),
        ),
        Statement(
            "Theorem 1.9",
            "No (0.1, 1 / n^2)-private solver answers T online threshold queries on n points within min(n, log "
            "T) / 2; as the proof has it, min(n, log(T) / 2) / 4: the answer n / 2 is within the stated half.",
            tests=(
                Tested(
                    f"{ONLINE}::test_private_solvers_err_by_a_quarter_of_the_points",
                    "three private solvers err by more than n / 4 in each of 30 runs, at n = log2(T) / 2",
                    "no privacy to speak of: less than n / 4 in all 30",
                ),
                Tested(
                    f"{ONLINE}::test_half_of_the_points_is_always_within_half_of_them",
                    "why a quarter: the answer n / 2, whatever is asked, errs by n / 2 at most",
                ),
            ),
        ),
        Statement(
            "Theorem 1.11",
            "Every (epsilon, 1 / (20 log T))-private online learner of point functions makes Omega(log T) mistakes "
            "on some "
            "queries.",
            tests=(
                Tested(
                    f"{PREDICTION}/test_learners.py::test_learners_err_as_often_as_the_construction_says",
                    "a learner says 1 at the inserted point in time as often as its stated distribution has it",
                    "four times as often",
                ),
            ),
        ),
        Statement(
            "Lemma 1.12",
            "Point functions have a private online predictor (= Lemma C.1) with O(log^2(1 / delta) / epsilon^2) "
            "mistakes, "
            "whatever T.",
            tests=(
                Tested(
                    f"{PREDICTION}/test_predictor.py::test_joint_privacy_of_all_short_inputs_and_its_controls",
                    "all inputs of nine examples: a delta of 0.0116 where 0.15 is claimed",
                    "the printed listing of the mirror, and a window that is too short",
                ),
            ),
        ),
        Statement(
            "Theorem 2.1",
            "No (1/2, 1 / (100 k))-private threshold monitor with k <= log2(T) / 2 - 5 is right with probability 0.99.",
            tests=(
                Tested(
                    f"{BOUNDS}::test_on_the_hard_instance_the_chance_to_halt_in_time_is_bounded",
                    "the exact chance to halt in time on the hard instance is at most 0.094, at k = 60 and T = "
                    "2^61 as well",
                    "items at equal distances: above 0.7",
                ),
                Tested(
                    f"{MONITORS}::test_every_private_monitor_errs_on_its_hard_instance",
                    "three private monitors, quiet on the empty stream, err on their hard instance in more than "
                    "4 of 10 games",
                ),
            ),
        ),
        Statement(
            "Claim 1",
            "The hard instance knows: its c_total is the chance that the monitor halts before the place it ends at.",
            tests=(
                Tested(
                    f"{BOUNDS}::test_the_construction_adds_up_the_chance_to_halt_before_its_end",
                    "c_total is the exact chance to halt before that place, to 1e-9, for k = 3 to 60",
                    "items at equal distances",
                ),
                Tested(
                    f"{BOUNDS}::test_the_sum_without_the_left_halves_is_not_the_chance",
                    "without the left halves that are passed by the sum is less than half of it",
                    "that sum",
                ),
            ),
        ),
        Statement(
            "Claim 2",
            "c_total is at most e^epsilon (0.01 + 2 k delta) / (1 - e^epsilon / 2).",
            tests=(
                Tested(
                    f"{BOUNDS}::test_at_equal_distances_and_at_random_the_same_monitor_halts_in_time",
                    "0.0115 is seen where 0.0939 is allowed (k = 60, T = 2^61, epsilon = 0.5)",
                    "items at equal distances: 0.78; at random: 0.65 to 0.8",
                ),
                Tested(
                    f"{BOUNDS}::test_a_monitor_that_is_not_private_passes_the_bound",
                    "ten times the epsilon passes the bound",
                    "the monitor itself",
                ),
                Tested(
                    f"{BOUNDS}::test_revealing_items_is_bounded_as_well_with_its_delta",
                    "with delta = 1 / (100 k): 0.01 is seen where 0.28 is allowed",
                    "delta = 0.3",
                ),
            ),
        ),
        Statement(
            "Lemma 3.1",
            "Ramsey's theorem for hypergraphs.",
            tests=(
                Tested(
                    f"{ONLINE}::test_every_colouring_of_few_edges_has_a_triangle_of_one_colour",
                    "its smallest case: two colours on the edges of six points, all 32,768 colourings",
                    "five points: 12 colourings without a triangle of one colour",
                ),
            ),
        ),
        Statement(
            "Lemma 3.2",
            "There are T points on which a solver's answers depend hardly on the points to come.",
            tests=(
                Tested(
                    f"{ONLINE}::test_among_many_points_there_are_some_on_which_a_solver_does_not_look_ahead",
                    "of 12 points 5 are found on which the next points play no part, for data of two points",
                    "all 12, and the first 5",
                ),
                Tested(
                    f"{ONLINE}::test_answers_depend_on_the_points_up_to_the_query_alone",
                    "the shipped solver of sorted queries looks ahead nowhere",
                    "a solver that looks at the points to come",
                ),
            ),
        ),
        Statement(
            "Theorem 3.4",
            "A private solver of online threshold queries makes a private counter.",
            tests=(
                Tested(
                    f"{ONLINE}::test_a_solver_that_does_not_look_ahead_makes_a_counter",
                    "the counter's estimates are the solver's answers, run by run, so it errs as rarely",
                    "a solver that looks at the points to come",
                ),
                Tested(
                    f"{ONLINE}::test_neighbouring_streams_are_neighbouring_data",
                    "streams that differ in an item are data that differ in a point",
                ),
            ),
        ),
        Statement(
            "Definition B.2",
            "Joint privacy: all outputs but that of the changed position are (epsilon, delta)-private.",
            tests=(
                Tested(
                    f"{PREDICTION}/test_predictor.py::test_joint_privacy_by_hand",
                    "an output that repeats its own input shows nothing to others",
                    "one that repeats the input before",
                ),
            ),
        ),
        Statement("Problem B.3", "Mirror: say top at ones only, never before K of them, and seldom bottom after K."),
        Statement(
            "Claim 3",
            "There are chances pi from 0 over delta to 1 - delta and 1 in 2L steps, each within e^epsilon of the next.",
            tests=(
                Tested(
                    f"{PREDICTION}/test_mirror.py::test_the_climb_by_hand",
                    "L = 5, 14 and 133 for (delta, epsilon) = (0.01, 1), (0.001, 0.5) and (1e-6, 0.1)",
                    "a step fewer, and the printed exponents",
                ),
            ),
        ),
        Statement("Lemma B.5", "JDP-Mirror makes at most 2L = O(log^2(1 / delta) / epsilon^2) mistakes."),
        Statement(
            "Lemma B.7",
            "JDP-Mirror is (epsilon, delta)-jointly private.",
            tests=(
                Tested(
                    f"{PREDICTION}/test_mirror.py::test_composition_is_what_brute_force_finds",
                    "the composition of the steps is the sum over all outcomes, to a thousandth",
                ),
                Tested(
                    f"{PREDICTION}/test_mirror.py::test_joint_privacy_by_enumeration_and_its_controls",
                    "all streams of nine bits",
                    "the printed probabilities, and a climb that is too short",
                ),
            ),
        ),
    ),
)
"""Definitions are named where they can be checked as what a mechanism does."""
