"""The statements of Xiong, Zhu, Huang 2023 on the robust tracker, its mechanisms and its proof."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.comparisons import COMPARISONS
from simulator.claims.statements.statement import Paper, Statement, Tested

EQUATIONS: Final = "tests/protocols/rounds/test_equations.py"
PROOF: Final = "tests/protocols/rounds/test_paper_proof.py"


def _enumerated(control: str) -> tuple[Tested, ...]:
    """Return the test of a statement on the thresholds given the transcript, which no run shows."""
    return (
        Tested(
            "tests/statistical/test_small_cases.py::test_a_statement_holds_and_its_check_fails_on_a_broken_round",
            "enumerated over all databases and histories of small rounds: [small-cases.md](small-cases.md)",
            control,
        ),
    )


ROBUST_TRACKING: Final = Paper(
    "Robust tracking",
    "Xiong, Zhu, Huang 2023, Adversarially Robust Distributed Count Tracking via Partial Differential Privacy (arXiv "
    "2311.00346)",
    (
        Statement(
            "Theorem 1, accuracy",
            "The robust tracker is within alpha at all times, with probability 1 - delta, against any adversary that "
            "sees the outputs.",
            tests=(
                Tested(
                    f"{PROOF}::test_a_round_fails_with_a_twelfth_of_its_allotment_at_most",
                    "the terms of the error, with exact tails of the noise, leave a round a twelfth of its failure "
                    "at most",
                ),
                Tested(
                    f"{PROOF}::test_a_smaller_c_would_not_do",
                    "with half of the paper's C they do not",
                    "half of C",
                ),
            ),
        ),
        Statement(
            "Theorem 1, cost",
            "It needs O(C sqrt(k) log(N) / alpha) words: at most C times what randomness costs without such an "
            "adversary.",
        ),
        Statement(
            "Definition 3",
            "Partial privacy: transcripts are within e^epsilon for neighbours that differ outside the leaked set.",
            tests=_enumerated("no noise; leaked set ignored"),
        ),
        Statement("Definition 4", "The leaked set of the tracker: one threshold for each change of the output."),
        Statement("Lemma 1", "Laplace noise of scale l / epsilon hides a shift of l."),
        Statement("Theorem 2, privacy", "The binary mechanism is epsilon-private over its whole stream."),
        Statement(
            "Theorem 2, real inputs",
            "It takes real numbers as well as bits, neighbours being 1 apart in one of them.",
            tests=(
                Tested(
                    "tests/mechanisms/test_counter_interface.py::test_entries_may_be_real_numbers",
                    "without noise its estimates are the sums of any numbers",
                ),
            ),
        ),
        Statement("Theorem 2, accuracy", "Its error is O(log^1.5(T) log(T / delta) / epsilon) at all steps."),
        Statement(
            "Lemma 2",
            "Sample accuracy carries over to the posterior distribution of the data.",
            tests=_enumerated("bits counted twice"),
        ),
        Statement(
            "Lemma 3",
            "Differential privacy keeps that posterior distribution near the prior.",
            tests=_enumerated("no noise"),
        ),
        Statement("Theorem 3", "Generalisation under partial privacy: linear queries stay near their expected value."),
        Statement(
            "Lemma 4",
            "Partial privacy keeps the posterior near the prior, but for the leaked set.",
            tests=_enumerated("no noise; leaked set ignored"),
        ),
        Statement(
            "Theorem 4",
            "The same for queries that touch few entries: |bits - expected bits| <= k (e^epsilon - 1 + c) + 2 kappa "
            "for the tracker.",
        ),
        Statement(
            "Lemma 5",
            "A transcript of a round is (epsilon, 0, sqrt(k))-partially private.",
            tests=_enumerated("no noise; leaked set ignored"),
        ),
        Statement(
            "Equation 1, unbiased",
            "The bits of a round times the block size have the items as their mean, whatever was fed to whom.",
            tests=(
                Tested(
                    f"{EQUATIONS}::test_bits_are_without_bias_and_one_a_block",
                    "averaged over all thresholds of two sites, exactly, after each item",
                    "signals at first items",
                ),
            ),
        ),
        Statement(
            "Equation 1, one bit a block",
            "A site sends exactly one bit in each block.",
            tests=(
                Tested(
                    f"{EQUATIONS}::test_bits_are_without_bias_and_one_a_block",
                    "for every choice of the thresholds of two sites",
                    "a coin for each item",
                ),
            ),
        ),
        Statement(
            "Algorithm 1, END",
            "A site that has used its C k blocks ends the round, which has then grown N by C k Delta at least.",
            tests=(
                Tested(
                    f"{EQUATIONS}::test_a_site_that_has_used_its_blocks_ends_the_round",
                    "END comes with item C k Delta + 1 of a site, and not before",
                    "no limit on the blocks",
                ),
                Tested(
                    "tests/protocols/rounds/test_robust_rounds.py::test_one_site_alone_ends_its_rounds_by_overflow",
                    "one site alone ends nine rounds of ten that way, after C k bits, and needs as many rounds as "
                    "that makes",
                    "a stream over all sites: its rounds end by phases, and are fewer",
                ),
            ),
        ),
        Statement("Equation 2", "The binary mechanism's error is at most C sqrt(k) bits."),
        Statement("Equation 3", "The sample error, lag and noise together, is at most 4 C sqrt(k) bits."),
        Statement("Lemma 6", "With 4 C sqrt(k) bits more, sample accuracy is accuracy."),
        Statement(
            "Lemma 7", "The estimate is within 8 C sqrt(k) bits, that is alpha N0, of the truth throughout a round."
        ),
        Statement("Equation 4", "A round has at most about 3 C k bits (the paper's 2 C k leaves the noise out)."),
        Statement("Equation 5", "A round has at least C k bits, so the count grows by a factor 1 + alpha sqrt(k) / 8."),
        Statement(
            "Equation 13",
            "A bit more in a phase changes the chance of its length by e^(epsilon / 4) at most.",
            tests=(
                Tested(
                    f"{EQUATIONS}::test_a_bit_more_in_a_phase_costs_a_quarter_of_epsilon",
                    "exact chances of all lengths, for 4 to 1,024 sites: attained",
                    "half of the noise",
                ),
                Tested(
                    f"{EQUATIONS}::test_a_phase_is_over_when_its_bits_reach_the_noisy_length",
                    "the server ends a phase of c bits if its noisy length is in (c - 1, c]",
                ),
            ),
        ),
        Statement(
            "Equation 14",
            "A bit that comes in another phase changes the chance of all lengths by e^(epsilon / 2) at most.",
            tests=(
                Tested(
                    f"{EQUATIONS}::test_a_bit_that_moves_between_phases_costs_half_of_epsilon",
                    "exact chances: attained",
                    "half of the noise",
                ),
            ),
        ),
        Statement(
            "Equation 15",
            "Such a bit changes the density of the counter's values by e^(epsilon / 2) at most.",
            tests=(
                Tested(
                    f"{EQUATIONS}::test_the_counters_values_cost_half_of_epsilon",
                    "exact distances of the counter's nodes: 0.5 to 0.75 of it, as nodes that hold both phases cancel",
                    "a third of the noise",
                ),
            ),
        ),
        Statement(
            "Lemma 8", "Partial privacy averaged over the database.", tests=_enumerated("no noise; leaked set ignored")
        ),
        Statement(
            "Lemma 9", "Lemma 4 for queries that touch few entries.", tests=_enumerated("no noise; leaked set ignored")
        ),
        Statement("Lemma 10", "Lemma 2 for queries that touch few entries.", tests=_enumerated("bits counted twice")),
        Statement(
            "Lemma 11",
            "Lemma 9 for queries of low sensitivity.",
            tests=_enumerated("no noise"),
        ),
        Statement(
            "Theorem 5",
            "Theorem 4 for queries of low sensitivity.",
            tests=_enumerated("no bit counted"),
        ),
        Statement("Lemma 12", "Given a transcript, linear queries concentrate, at delta = 0."),
        Statement(
            "Theorem 6",
            "Theorem 3 at delta = 0, with a term sqrt(2 ln(2 / eta) / m) in place of a factor in the failure.",
        ),
        Statement(
            "Theorem 7",
            "Theorem 4 at delta = 0: |bits - expected bits| <= k (e^epsilon - 1) + kappa + sqrt(2 k ln(2 / eta)).",
        ),
        *COMPARISONS,
    ),
)
"""The comparisons follow."""
