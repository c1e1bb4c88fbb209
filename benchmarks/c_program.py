"""(i) A C program that plays the deterministic tracker against `freeze`: transcript, ledger and verdict, no more."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

PROGRAM: Final = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
    int64_t k = atoll(argv[1]), items = atoll(argv[2]), part = atoll(argv[3]), whole = atoll(argv[4]);
    int64_t *count = calloc(k, 8), *reported = calloc(k, 8), *due = calloc(k, 8), *sent = calloc(k, 8);
    for (int64_t site = 0; site < k; site++) due[site] = 1;
    clock_t begun = clock();
    int64_t step = 0, output = 0, messages = 0, changes = 0, site = 0, failing = 0;
    double highest = 1, lowest = 1, alpha = (double) part / whole;
    while (1) {
        int64_t wait = due[site] - count[site], until = step + wait;
        if (until > items) { count[site] += items - step; step = items; break; }
        if (until > 1) {
            double low = (double) output / (until - 1);
            if (low < lowest) lowest = low;
            if (low < 1 - alpha) failing++;
        }
        step = until;
        count[site] = due[site];
        output += count[site] - reported[site];
        reported[site] = count[site];
        due[site] = count[site] + count[site] * part / whole + 1;
        sent[site]++;
        messages++;
        changes++;
        double high = (double) output / step;
        if (high > highest) highest = high;
        if (high > 1 + alpha) failing++;
        site = site + 1 < k ? site + 1 : 0;
    }
    double last = (double) output / step;
    if (last < lowest) lowest = last;
    double seconds = (double) (clock() - begun) / CLOCKS_PER_SEC;
    printf("%lld %lld %.17g %.17g %lld %.9f\n", (long long) messages, (long long) changes, highest - 1, lowest - 1,
           (long long) failing, seconds);
    return 0;
}
"""


def compiled_c() -> Callable[[int, int, int, int], list[float]] | None:
    """Return the program, compiled with -O2; None where there is no compiler.

    It takes the sites, the items, and alpha as numerator and denominator, and returns messages, changes of the output,
    the highest and the lowest relative error, failing changes, and the seconds of the processor that the game took.
    """
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    folder = tempfile.TemporaryDirectory()
    source, program = Path(folder.name, "game.c"), Path(folder.name, "game")
    source.write_text(PROGRAM)
    subprocess.run([compiler, "-O2", "-o", program, source], check=True)

    def play(k: int, items: int, part: int, whole: int) -> list[float]:
        assert folder  # the program lives as long as it may be called
        numbers = [str(number) for number in (k, items, part, whole)]
        said = subprocess.run([program, *numbers], check=True, capture_output=True, text=True).stdout
        return [float(word) for word in said.split()]

    return play
