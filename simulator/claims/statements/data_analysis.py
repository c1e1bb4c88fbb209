"""The statements of Stemmer's lecture on adaptive data analysis and streaming, after notes of Roth and Smith."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Paper, Statement, Tested

DATA_ANALYSIS: Final = Paper(
    "Data analysis",
    "Stemmer, lecture 6, Generalization via DP-Stability; adaptive streaming (after Roth, Smith)",
    (
        Statement(
            "Conclusion 1",
            "k answers with Laplace noise of scale 1 / (gamma n), gamma = epsilon / sqrt(8 k ln(1 / delta)), are "
            "(epsilon, "
            "delta)-stable together.",
            tests=(
                Tested(
                    "tests/mechanisms/statistical/test_noisy_answers.py::test_conclusion_1_by_the_distribution_of_the_privacy_loss",
                    "100 answers with this gamma keep (1, 1e-3), by the distribution of the privacy loss.",
                    "noise for four times the gamma",
                ),
            ),
        ),
        Statement(
            "Claim 2",
            "These answers are all within ln(k / beta) / (gamma n) of the sample's, save with probability beta.",
            tests=(
                Tested(
                    "tests/mechanisms/statistical/test_noisy_answers.py::test_conclusion_1_and_claim_2_in_closed_form",
                    "The chance that a noise exceeds the bound, in closed form, is beta at most.",
                    "noise for half of the epsilon",
                ),
            ),
        ),
        Statement(
            "Theorem 3",
            "NoisyArgmax, with noise of scale 2 / (epsilon n), is epsilon-stable.",
            tests=(
                Tested(
                    "tests/mechanisms/statistical/test_noisy_answers.py::test_theorem_3_two_queries_exactly",
                    "Every pair of neighbouring means of two queries, in closed form.",
                    "half of the noise",
                ),
                Tested(
                    "tests/mechanisms/statistical/test_noisy_answers.py::test_theorem_3_three_queries_by_integration",
                    "The same of three queries, by integration.",
                    "a third of the noise",
                ),
            ),
        ),
        Statement(
            "Claim 4",
            "Its query is within O(ln(T / beta) / (epsilon n)) of the largest, save with probability beta.",
            tests=(
                Tested(
                    "tests/mechanisms/statistical/test_noisy_answers.py::test_claim_4_the_name_is_nearly_the_largest",
                    "Of 2,000 choices among 50 queries at most 8 % lose more than the bound at beta = 5 %.",
                    "twenty times the noise",
                ),
            ),
        ),
        Statement(
            "Theorem 5",
            "A mechanism that is (epsilon, delta)-stable and empirically (alpha, beta)-accurate is statistically "
            "(alpha "
            "+ 10 epsilon, beta + k delta / epsilon)-accurate.",
        ),
        Statement(
            "Conclusion 6",
            "k adaptive statistical queries are answered within alpha by some sqrt(k) / alpha^2 samples.",
        ),
        Statement(
            "Theorem 7",
            "No analyst makes a stable mechanism's sample err: |q_i(S) - q_i(D)| > 10 epsilon has a chance below "
            "delta / "
            "epsilon.",
        ),
        Statement(
            "Theorem 8",
            "The same for a stable mechanism that names one query.",
            tests=(
                Tested(
                    "tests/mechanisms/statistical/test_stability_claims.py::test_theorem_8_exactly_and_without_stability_it_fails",
                    "The chance of a gap of 10 epsilon, exactly, for a query and its complement.",
                    "the query that asks for membership in the sample",
                ),
            ),
        ),
        Statement(
            "Claim A",
            "On average the query that a stable mechanism names has nearly its true value on the sample.",
            tests=(
                Tested(
                    "tests/mechanisms/statistical/test_stability_claims.py::test_claim_a_exactly",
                    "E q(S) is e^epsilon E q(D) at most, over all samples of 1 to 20 bits.",
                    "a choice without noise",
                ),
            ),
        ),
        Statement(
            "Claim B",
            "The same for a mechanism that sees T samples and names a query and a sample: within 2 epsilon + T delta "
            "on "
            "average.",
            tests=(
                Tested(
                    "tests/mechanisms/statistical/test_stability_claims.py::test_claim_b_exactly",
                    "Algorithm B on all pairs of databases of 2 and 4 bits: the gap is 2 epsilon at most.",
                    "a choice without noise",
                ),
            ),
        ),
        Statement(
            "Claim C",
            "With high probability it has: Theorem 8, by algorithm B, which picks the worst of T repetitions.",
        ),
        Statement(
            "AMS, mean",
            "The AMS estimate of the second moment is right on average, for every fixed vector.",
            tests=(
                Tested(
                    "tests/mechanisms/sketches/test_linear_sketches.py::test_mean_and_variance_over_all_sign_vectors",
                    "Over all sign vectors of a row the mean is the second moment.",
                ),
            ),
        ),
        Statement(
            "AMS, variance",
            "Its variance is (2 / t) (F2^2 - F4), at most 2 F2^2 / t, with t rows.",
            tests=(
                Tested(
                    "tests/mechanisms/sketches/test_linear_sketches.py::test_mean_and_variance_over_all_sign_vectors",
                    "Over all sign vectors of a row the variance is 2 (F2^2 - F4).",
                    "the variance without F4",
                ),
            ),
        ),
        Statement(
            "AMS, rows",
            "t = 2 / (alpha^2 beta) rows are within alpha at each moment, save with probability beta.",
            tests=(
                Tested(
                    "tests/mechanisms/sketches/test_linear_sketches.py::test_the_rows_of_the_theorems",
                    "The rows of Chebyshev's and of the exponential bound, against the chi-square distribution.",
                    "one row fewer",
                ),
            ),
        ),
        Statement("AMS, attack", "Whoever sees the estimates drives them below half of the truth with O(t) updates."),
        Statement("AMS, attack by coins", "Each update of the attack is kept with a chance of about a half."),
    ),
)
