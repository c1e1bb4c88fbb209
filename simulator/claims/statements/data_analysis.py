"""The statements of Stemmer's lecture on adaptive data analysis and streaming, after notes of Roth and Smith."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Paper, Statement

DATA_ANALYSIS: Final = Paper(
    "Data analysis",
    "Stemmer, lecture 6, Generalization via DP-Stability; adaptive streaming (after Roth, Smith)",
    (
        Statement(
            "Conclusion 1",
            "k answers with Laplace noise of scale 1 / (gamma n), gamma = epsilon / sqrt(8 k ln(1 / delta)), are "
            "(epsilon, "
            "delta)-stable together.",
        ),
        Statement(
            "Claim 2",
            "These answers are all within ln(k / beta) / (gamma n) of the sample's, save with probability beta.",
        ),
        Statement("Theorem 3", "NoisyArgmax, with noise of scale 2 / (epsilon n), is epsilon-stable."),
        Statement(
            "Claim 4", "Its query is within O(ln(T / beta) / (epsilon n)) of the largest, save with probability beta."
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
        Statement("Theorem 8", "The same for a stable mechanism that names one query."),
        Statement(
            "Claim A", "On average the query that a stable mechanism names has nearly its true value on the sample."
        ),
        Statement(
            "Claim B",
            "The same for a mechanism that sees T samples and names a query and a sample: within 2 epsilon + T delta "
            "on "
            "average.",
        ),
        Statement(
            "Claim C",
            "With high probability it has: Theorem 8, by algorithm B, which picks the worst of T repetitions.",
        ),
        Statement("AMS, mean", "The AMS estimate of the second moment is right on average, for every fixed vector."),
        Statement("AMS, variance", "Its variance is (2 / t) (F2^2 - F4), at most 2 F2^2 / t, with t rows."),
        Statement(
            "AMS, rows", "t = 2 / (alpha^2 beta) rows are within alpha at each moment, save with probability beta."
        ),
        Statement("AMS, attack", "Whoever sees the estimates drives them below half of the truth with O(t) updates."),
        Statement("AMS, attack by coins", "Each update of the attack is kept with a chance of about a half."),
    ),
)
