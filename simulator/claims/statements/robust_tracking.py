"""The statements of Xiong, Zhu, Huang 2023: the robust tracker and what it is compared with."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Paper, Statement, Tested


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
        Statement("Equation 2", "The binary mechanism's error is at most C sqrt(k) bits."),
        Statement("Equation 3", "The sample error, lag and noise together, is at most 4 C sqrt(k) bits."),
        Statement("Lemma 6", "With 4 C sqrt(k) bits more, sample accuracy is accuracy."),
        Statement(
            "Lemma 7", "The estimate is within 8 C sqrt(k) bits, that is alpha N0, of the truth throughout a round."
        ),
        Statement("Equation 4", "A round has at most about 3 C k bits (the paper's 2 C k leaves the noise out)."),
        Statement("Equation 5", "A round has at least C k bits, so the count grows by a factor 1 + alpha sqrt(k) / 8."),
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
        Statement(
            "Comparison, deterministic cost",
            "The deterministic tracker needs k / alpha log N words (sections 1 and 1.1).",
        ),
        Statement(
            "Comparison, deterministic robustness", "It is right at every step, whatever the input (section 1.1)."
        ),
        Statement("Comparison, randomised cost", "With coins sqrt(k) / alpha log N words are enough (section 1.1)."),
        Statement(
            "Comparison, randomised accuracy", "That tracker is right for inputs that do not react (section 1.1)."
        ),
        Statement(
            "Comparison, many sites", "From k = 1 / alpha^2 on there is a further k log N (sections 1.1 and 4.2)."
        ),
        Statement(
            "Comparison, oblivious trackers break",
            "Without hiding its coins a tracker's errors add up under an adversary that reacts (section 1.1).",
        ),
        Statement("Comparison, hidden randomness", "Hidden coins keep the errors from adding up (section 1.3)."),
        Statement(
            "Comparison, square root",
            "The robust tracker keeps the sqrt(k) advantage over deterministic ones (section 1).",
        ),
        Statement(
            "Comparison, sketch switching",
            "Sketch switching can cost more than the deterministic tracker (section 1.2).",
        ),
        Statement(
            "Comparison, difference estimators",
            "Difference estimators need at least k / alpha for their synchronisations (section 1.2).",
        ),
        Statement(
            "Comparison, private copies",
            "Private copies cost sqrt(lambda) times the randomised tracker, and each change of the output gives a "
            "site away (section 1.2).",
        ),
    ),
)
"""The comparisons follow."""
