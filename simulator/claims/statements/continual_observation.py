"""The statements of Dwork, Naor, Pitassi, Rothblum 2010: counters, continual output, experts."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Paper, Statement, Tested

PRIVACY: Final = "tests/mechanisms/test_counter_privacy.py"
BOUNDS: Final = "tests/mechanisms/test_continual_bounds.py"
INTRUSIONS: Final = "tests/mechanisms/test_continual_intrusions.py"
UNVARYING: Final = "tests/mechanisms/test_unvarying.py"
TRANSFORMED: Final = "tests/mechanisms/test_transformation_privacy.py"

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
            tests=(
                Tested(
                    f"{BOUNDS}::test_losses_of_two_mechanisms_add_up",
                    "the distance of the noised vectors is the sum of both, attained",
                ),
            ),
        ),
        Statement(
            "Theorem 4.1, privacy",
            "The counter of Figure 1 is epsilon-private over its outputs and one view of its memory.",
            tests=(
                Tested(
                    f"{PRIVACY}::test_pan_private_counter_keeps_its_claim_under_one_intrusion",
                    "the least shift of the noise that hides an item from one look is epsilon, for every item and "
                    "moment",
                    "a binary counter, whose memory holds the sum",
                ),
            ),
        ),
        Statement(
            "Theorem 4.1, accuracy",
            "Its error is at most 4 ln(1 / beta) log2(T)^2.5 / epsilon at all steps together, save with "
            "probability beta "
            "(beta <= 0.1).",
            tests=(
                Tested(
                    f"{BOUNDS}::test_the_pan_private_counter_keeps_the_papers_bound_at_all_steps",
                    "T times the exact chance at a step, for T from 2 to 2^40 and beta down to 1e-12",
                    "fresh noise at each step; two thousand times the noise",
                ),
            ),
        ),
        Statement(
            "Theorem 4.1, each round",
            "At each step by itself its error is O(log(1 / beta) log^1.5(T) / epsilon), save with probability beta.",
            tests=(
                Tested(
                    f"{BOUNDS}::test_at_a_step_by_itself_its_error_is_a_logarithm_smaller",
                    "exact quantiles, with the constant 3",
                    "a noise an item",
                ),
                Tested(
                    f"{BOUNDS}::test_its_error_grows_like_the_power_of_the_logarithm",
                    "the exponent of log T is 1.5",
                    "the exponent 1",
                ),
            ),
        ),
        Statement(
            "Theorem 4.2",
            "Every private counter over T steps errs by Omega(log T), at epsilon = 1 too.",
            tests=(
                Tested(
                    f"{BOUNDS}::test_no_private_counter_undercuts_the_bound",
                    "each pure counter here errs by 2 and more over 1,024 steps, on a stream of the bound's family",
                    "the same counter with 400 times its epsilon",
                ),
                Tested(
                    f"{BOUNDS}::test_the_streams_of_the_bound_are_told_apart_by_a_good_answer",
                    "any two streams of that family differ by what the bound says, which grows like log T",
                    "epsilon = 8: no bound",
                ),
            ),
        ),
        Statement(
            "Theorem 4.3",
            "A counter that is pan-private against n intrusions errs by Omega(sqrt n), with a probability near 1/2.",
            tests=(
                Tested(
                    f"{INTRUSIONS}::test_randomised_response_errs_by_the_root_of_n",
                    "the exact chance of an error of sqrt(n) / 16, for n from 16 to 2^20",
                    "an epsilon that grows with n",
                ),
                Tested(
                    f"{INTRUSIONS}::test_two_inputs_that_differ_by_the_root_of_n_are_hardly_told_apart",
                    "the statistical distance of all states is at most 0.81 / k, whatever n",
                    "a memory that holds the sum; bits that are not so rare",
                ),
            ),
        ),
        Statement(
            "Lemma 4.4",
            "What a step of such a counter does on a 0, and on a rare 1, are mixtures of two distributions, 1/2 to "
            "1/2 "
            "and 1/2 -+ 1 / (k sqrt n); as it is written for epsilon up to ln 3.",
            tests=(
                Tested(
                    f"{INTRUSIONS}::test_a_private_step_is_a_mixture_of_two_distributions",
                    "of a hundred steps with a loss of 1 at most, for each of five n",
                    "a step with a loss of ln 3.5",
                ),
            ),
        ),
        Statement(
            "Claim 5.1",
            "A monotone estimator in [0, 1] within alpha is (1 / d, d + 2 alpha)-unvarying.",
            tests=(
                Tested(
                    f"{UNVARYING}::test_accurate_answers_to_a_monotone_function_change_seldom",
                    "the longest run of such changes, of answers as wrong as is allowed",
                    "a function that wavers; changes by d alone",
                ),
            ),
        ),
        Statement(
            "Theorem 5.2, accuracy",
            "The transformed algorithm is within d + alpha_0 + 4 rho (log(1 / beta) + log T) (k + log^2 T) / "
            "epsilon at all "
            "steps.",
            tests=(
                Tested(
                    "tests/mechanisms/test_continual_output.py::test_transformation_keeps_its_error_bound",
                    "a growing density published at each of 256 steps stays within the bound in 60 runs",
                ),
                Tested(
                    f"{UNVARYING}::test_an_unvarying_estimator_is_never_halted_and_a_varying_one_is",
                    "a staircase published over 64 steps does so in 40 runs",
                    "a value that goes up and down",
                ),
            ),
        ),
        Statement(
            "Theorem 5.2, publications",
            "It publishes k + 1 times at most and then halts; for an unvarying algorithm it hardly ever does.",
            tests=(
                Tested(
                    f"{UNVARYING}::test_an_unvarying_estimator_is_never_halted_and_a_varying_one_is",
                    "at most k + 1 publications in 80 runs, and HALT with the last",
                    "a value that goes up and down: all runs halt",
                ),
            ),
        ),
        Statement(
            "Theorem 5.2, privacy",
            "It costs 3 epsilon on top of what the algorithm costs.",
            tests=(
                Tested(
                    f"{TRANSFORMED}::test_what_is_published_costs_at_most_three_epsilon",
                    "exact likelihoods of all that four steps may publish: a loss of 1.1 epsilon, 2.5 by the proof",
                    "a fifth of the noise of the answers",
                ),
                Tested(
                    f"{TRANSFORMED}::test_a_long_silence_costs_epsilon_and_without_noise_in_the_threshold_ever_more",
                    "512 silent steps lose a fifth of epsilon",
                    "a hundredth of the noise in the threshold: 22 epsilon",
                ),
            ),
        ),
        Statement(
            "Theorem 5.2, pan-privacy",
            "It costs 3 epsilon on top of what a look into the algorithm's memory costs, its own memory seen once.",
            tests=(
                Tested(
                    f"{TRANSFORMED}::test_a_look_into_the_memory_costs_no_more_than_the_proof_says",
                    "exact chances of 64 and 512 silent steps, given the noises in memory after the first: 1.1 epsilon "
                    "at most, as the proof's segments that are not seen",
                    "a memory that erases no noise",
                ),
                Tested(
                    f"{TRANSFORMED}::test_a_look_finds_the_noises_in_force_and_no_others",
                    "the memory holds the noises of the segments that go on, and none of a comparison or an answer",
                ),
            ),
        ),
        Statement(
            "Theorem 5.3",
            "A (k, d)-varying function of n users cannot be published at every step with an error below Omega(d k "
            "/ n).",
            tests=(
                Tested(
                    f"{UNVARYING}::test_streams_of_a_varying_function_are_told_apart",
                    "any two of the proof's 2^k streams are d apart at some step, for the share of users who "
                    "appeared "
                    "an odd number of times",
                    "the share of users who appeared",
                ),
                Tested(
                    f"{UNVARYING}::test_who_publishes_a_varying_function_privately_errs_by_half_of_its_jumps",
                    "the transformation errs by d / 2 in all runs, having halted",
                    "the share of users who appeared",
                ),
            ),
        ),
        Statement(
            "Section 6, regret",
            "Follow the perturbed leader over such counters has a regret of O(log(n) log^1.5(T) / epsilon) more.",
            tests=(
                Tested(
                    "tests/mechanisms/test_perturbed_leader.py::test_regret_stays_below_its_bound",
                    "the mean regret of games with private counters",
                ),
            ),
        ),
        Statement(
            "Section 6, pan-privacy",
            "With the counter of Figure 1 it is event-level pan-private for one cost, seen once.",
            tests=(
                Tested(
                    "tests/mechanisms/test_perturbed_leader.py::test_the_leader_hides_one_cost_from_one_look_into_its_memory",
                    "the exact loss of all estimates and of the memory after any round is at most epsilon",
                    "a memory that holds a sum without noise too",
                ),
            ),
        ),
    ),
)
"""Logarithms of T are to the base 2, those of beta natural."""
