"""The statements of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024: lower bounds, online prediction."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Paper, Statement, Tested

MONITORS: Final = "tests/mechanisms/test_monitors.py"
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
        ),
        Statement(
            "Theorem 1.7",
            "No (0.1, 1 / (100 k))-private threshold monitor with k <= log2(T) / 2 is right with probability 0.99.",
        ),
        Statement(
            "Observation 1.8",
            "With k of the order of min(log(T) / epsilon, 1 / delta) there is one: sparse vectors, or revealing items.",
            tests=(
                Tested(
                    f"{MONITORS}::test_a_large_threshold_is_left_alone",
                    "with k = 32 ln(T) / epsilon the sparse-vector monitor is right in 99 % of games",
                ),
            ),
        ),
        Statement(
            "Theorem 1.9",
            "No (0.1, 1 / n^2)-private solver answers T online threshold queries on n points within min(n, log T) / 2.",
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
                    f"{MONITORS}::test_every_private_monitor_errs_on_its_hard_instance",
                    "three private monitors, quiet on the empty stream, err on their hard instance in more than 4 of "
                    "10 games",
                ),
            ),
        ),
        Statement(
            "Claim 1",
            "The hard instance knows: its c_total is the chance that the monitor halts before the place it ends at.",
            tests=(
                Tested(
                    f"{MONITORS}::test_hard_instance_of_an_exact_law",
                    "c_total is the sum of the exact halting chances before that place, to 1e-9",
                ),
            ),
        ),
        Statement(
            "Claim 2",
            "c_total is at most e^epsilon (0.01 + 2 k delta) / (1 - e^epsilon / 2).",
            tests=(
                Tested(
                    f"{MONITORS}::test_hard_instance_of_an_exact_law",
                    "0.0115 is seen where 0.0939 is allowed (k = 8, epsilon = 0.5, delta = 0)",
                ),
            ),
        ),
        Statement(
            "Lemma 3.1",
            "Ramsey's theorem for hypergraphs.",
            "a known theorem of combinatorics, and its numbers are beyond any machine",
        ),
        Statement("Lemma 3.2", "There are T points on which a solver's answers depend hardly on the points to come."),
        Statement("Theorem 3.4", "A private solver of online threshold queries makes a private counter."),
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
