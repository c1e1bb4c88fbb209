"""Gauss-Legendre panels: nodes and weights of an integral between corners, at which the integrand may have kinks."""

from __future__ import annotations

import numpy as np

from disttrack.mechanisms.noise import Floats


def panels(corners: object, nodes: int) -> tuple[Floats, Floats]:
    """Return the places and weights of an integral with this number of nodes between any two neighbouring corners.

    Examples
    --------
    >>> places, weights = panels([0.0, 1.0, 3.0], 2)
    >>> round(float((weights * places**3).sum()), 9)
    20.25
    """
    places, weights = np.polynomial.legendre.leggauss(nodes)
    ends = np.asarray(corners)
    half = np.diff(ends)[:, None] / 2
    middle = (ends[:-1] + ends[1:])[:, None] / 2
    return (middle + half * places).ravel(), (half * weights).ravel()
