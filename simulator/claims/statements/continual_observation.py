"""The statements of Dwork, Naor, Pitassi, Rothblum 2010: counters, continual output, experts."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Paper, Statement, Tested

PRIVACY: Final = "tests/mechanisms/test_counter_privacy.py"
OUTPUT: Final = "tests/mechanisms/test_continual_output.py"

CONTINUAL_OBSERVATION: Final = Paper(
    "Continual observation",
    "Dwork, Naor, Pitassi, Rothblum 2010, Differential Privacy Under Continual Observation (STOC)",
    (
        Statement(
            "Theorem 3.1",
            "Laplace noise of scale L1-sensitivity / epsilon on each output is epsilon-private.",
            tests=(
                Tested(
                    f"{PRIVACY}::test_neighbours_are_as_far_apart_as_claimed",
                    "for each linear counter the noised vectors of all neighbouring streams are epsilon apart, and "
                    "no more",
                    "one level of the tree forgotten; half of the noise",
                ),
            ),
        ),
        Statement(
            "Theorem 3.2",
            "An epsilon_1- and an epsilon_2-private mechanism together are (epsilon_1 + epsilon_2)-private.",
        ),
        Statement(
            "Theorem 4.1, privacy",
            "The counter of Figure 1 is epsilon-private over its outputs and one view of its memory.",
            tests=(
                Tested(
                    f"{PRIVACY}::test_pan_private_counter_keeps_its_claim_under_one_intrusion",
                    "the least shift of the noise that hides an item from whoever looks once is epsilon, for every "
                    "item and moment",
                    "a binary counter, whose memory holds the sum",
                ),
            ),
        ),
        Statement(
            "Theorem 4.1, accuracy",
            "Its error is at most 4 log(1 / beta) log^2.5(T) / epsilon at all steps together, save with probability "
            "beta.",
        ),
        Statement(
            "Theorem 4.1, each round",
            "At each step by itself its error is O(log(1 / beta) log^1.5(T) / epsilon), save with probability beta.",
        ),
        Statement("Theorem 4.2", "Every private counter over T steps errs by Omega(log T), at epsilon = 1 too."),
        Statement(
            "Theorem 4.3",
            "A counter that is pan-private against n intrusions errs by Omega(sqrt n), with a probability near 1/2.",
        ),
        Statement(
            "Lemma 4.4",
            "What a step of such a counter does on a 0, and on a rare 1, are mixtures of two distributions, 1/2 to "
            "1/2 and "
            "1/2 -+ 1 / (k sqrt n).",
        ),
        Statement("Claim 5.1", "A monotone estimator in [0, 1] within alpha is (1 / d, d + 2 alpha)-unvarying."),
        Statement(
            "Theorem 5.2, accuracy",
            "The transformed algorithm is within d + alpha_0 + 4 rho (log(1 / beta) + log T) (k + log^2 T) / epsilon "
            "at all steps.",
            tests=(
                Tested(
                    f"{OUTPUT}::test_transformation_keeps_its_error_bound",
                    "a growing density published at each of 256 steps stays within the bound in 60 runs",
                ),
            ),
        ),
        Statement(
            "Theorem 5.2, publications",
            "It publishes k + 1 times at most and then halts; for an unvarying algorithm it never does.",
        ),
        Statement("Theorem 5.2, privacy", "It costs 3 epsilon on top of what the algorithm costs."),
        Statement(
            "Theorem 5.3",
            "A (k, d)-varying function of n users cannot be published at every step with an error below Omega(d k / "
            "n).",
        ),
        Statement(
            "Section 6, regret",
            "Follow the perturbed leader over such counters has a regret of O(log(n) log^1.5(T) / epsilon) more.",
        ),
    ),
)
"""Logarithms of T are to the base 2, those of beta natural."""
