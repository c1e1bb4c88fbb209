"""What Xiong, Zhu, Huang 2023 say of other trackers, beside which theirs stands (sections 1 and 4.2)."""

from __future__ import annotations

from typing import Final

from simulator.claims.statements.statement import Statement, Tested

COPIES: Final = "tests/protocols/sampling/test_private_copies.py"
EQUATIONS: Final = "tests/protocols/rounds/test_equations.py"

COMPARISONS: Final = (
    Statement(
        "Comparison, deterministic cost",
        "The deterministic tracker needs k / alpha log N words (sections 1 and 1.1).",
    ),
    Statement("Comparison, deterministic robustness", "It is right at every step, whatever the input (section 1.1)."),
    Statement("Comparison, randomised cost", "With coins sqrt(k) / alpha log N words are enough (section 1.1)."),
    Statement("Comparison, randomised accuracy", "That tracker is right for inputs that do not react (section 1.1)."),
    Statement(
        "Comparison, many sites",
        "From k = 1 / alpha^2 on there is a further k log N: O(C k log N) for the robust tracker (sections 1.1 "
        "and "
        "4.2).",
        tests=(
            Tested(
                f"{EQUATIONS}::test_very_many_sites_cost_no_more_than_linearly",
                "the robust tracker's words stay below (3 C + 3) k log(N) / log(9/8), the more so the larger k",
                "1 / alpha^2 ten thousand times k",
            ),
        ),
    ),
    Statement(
        "Comparison, deterministic lower bound",
        "Every deterministic tracker needs Omega(k / alpha log N) words (Yi, Zhang 2009; section 1.1).",
    ),
    Statement(
        "Comparison, randomised lower bound",
        "Every tracker that is right with a constant probability needs Omega(sqrt(k) / alpha log N) words "
        "(section "
        "1.1).",
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
        "Sketch switching costs lambda times the randomised tracker, lambda = log(N) / alpha: this can be more "
        "than the "
        "deterministic one does (section 1.2).",
    ),
    Statement(
        "Comparison, difference estimators",
        "Difference estimators need at least k / alpha for their synchronisations (section 1.2).",
    ),
    Statement(
        "Comparison, private copies",
        "Private copies cost sqrt(lambda) times the randomised tracker, and each change of the output gives a "
        "site away (section 1.2).",
        tests=(
            Tested(
                f"{COPIES}::test_whoever_watches_knows_that_the_site_fed_last_has_sent",
                "at each change of the output the site fed last has sent a message in that step",
                "steps without a change: in many of them nothing is sent",
            ),
        ),
    ),
)
"""They follow the statements of the tracker."""
