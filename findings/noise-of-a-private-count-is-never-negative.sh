#!/bin/sh
# diffpriv-pure 0.1.0: a private count is never below the true one, and 100 of epsilon 1 compose to 52.6.
#
# Expected: the noise of an integer count for "pure" epsilon = 1 is two-sided: values of neighbouring counts, 9 and
# 10, have probabilities within a factor e of each other. `advanced_composition` returns an epsilon and a delta that
# hold for n mechanisms, 100 randomised responses of epsilon 1 among them.
# Seen: the noise is geometric from 0 on, so that 9 comes of the count 9 with probability 0.63, and never of 10; the
# mean is 0.58 too large. Of 100 such mechanisms it returns epsilon = 52.6 at delta = 1e-4: of the theorem's two
# terms, 52.6 and n epsilon (e^epsilon - 1) = 172, the root alone. At 52.6 the exact delta is 0.21.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check diffpriv-pure==0.1.0
seen=$("$folder/venv/bin/python" - <<'PYTHON'
import random
from collections import Counter
from math import comb, e

from diffpriv_pure import PrivacyBudget, private_count

random.seed(1)
for count in 9, 10:
    values = [private_count(count, epsilon=1.0) for _ in range(100_000)]
    shares = Counter(values)
    print(count, *(f"{value}: {shares[value] / 1e5:.2f}" for value in range(7, 13)), f"mean {sum(values) / 1e5:.2f}")
epsilon, delta = PrivacyBudget(1000, 0.5).advanced_composition(100, 1.0, 1e-6)
true = 0.0  # the delta of 100 answers, each the right one with probability e / (1 + e)
for right in range(101):
    likely, unlikely = (comb(100, right) * e**count / (1 + e) ** 100 for count in (right, 100 - right))
    true += max(0.0, likely - e**epsilon * unlikely)
print(f"composed {epsilon:.1f} {delta:.0e} exact delta {true:.2f}")
PYTHON
)
echo "$seen"
test "$seen" = "9 7: 0.00 8: 0.00 9: 0.63 10: 0.23 11: 0.09 12: 0.03 mean 9.59
10 7: 0.00 8: 0.00 9: 0.00 10: 0.63 11: 0.23 12: 0.09 mean 10.58
composed 52.6 1e-04 exact delta 0.21"
