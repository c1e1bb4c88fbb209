"""The statements of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024: lower bounds, online prediction."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Paper, Statement, Tested

MONITORS: Final = "tests/mechanisms/test_monitors.py"

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
        ),
        Statement(
            "Lemma 1.12",
            "Point functions have a private online predictor (= Lemma C.1) with O(log^2(1 / delta) / epsilon^2) "
            "mistakes, "
            "whatever T.",
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
        ),
        Statement("Problem B.3", "Mirror: say top at ones only, never before K of them, and seldom bottom after K."),
        Statement(
            "Claim 3",
            "There are chances pi from 0 over delta to 1 - delta and 1 in 2L steps, each within e^epsilon of the next.",
        ),
        Statement("Lemma B.5", "JDP-Mirror makes at most 2L = O(log^2(1 / delta) / epsilon^2) mistakes."),
        Statement("Lemma B.7", "JDP-Mirror is (epsilon, delta)-jointly private."),
    ),
)
"""Definitions are named where they can be checked as what a mechanism does."""
