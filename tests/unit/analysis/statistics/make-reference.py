#!/usr/bin/env python3
"""Re-creates reference.json: what SciPy says of fixed inputs.

    python3 -m venv venv && venv/bin/pip install scipy
    venv/bin/python make-reference.py
"""

import json
import os
from importlib.metadata import version
from itertools import combinations
from math import atanh, sqrt, tanh

import numpy as np
from scipy import stats

random = np.random.default_rng(20260102)


def figures(values, digits=None):
    return [float(v) if digits is None else round(float(v), digits) for v in values]


def tied_p(a, b):
    """All ways to deal the values out, by hand: permutation_test gives the same, for sizes it can go through."""
    ranks = stats.rankdata([*a, *b])
    sums = [sum(chosen) for chosen in combinations(ranks, len(a))]
    seen = sum(ranks[: len(a)])
    low = sum(s <= seen for s in sums) / len(sums)
    high = sum(s >= seen for s in sums) / len(sums)
    return min(1, 2 * min(low, high))


def mann_whitney():
    cases = []
    for n, m, shift in [(1, 1, 0), (2, 3, 1), (3, 3, 5), (5, 5, 1), (8, 5, 0.5), (10, 10, 1), (20, 25, 0.6), (30, 30, 0.5)]:
        a, b = figures(random.normal(0, 1, n)), figures(random.normal(shift, 1, m))
        u, p = stats.mannwhitneyu(a, b, method="exact")
        cases.append({"call": "mannwhitneyu(a, b, method='exact')", "a": a, "b": b, "u": float(u), "p": float(p)})
    for n, m, most in [(4, 4, 3), (6, 5, 4), (7, 7, 3), (8, 6, 10), (3, 9, 2)]:
        a, b = [figures(random.integers(0, most, size)) for size in (n, m)]
        u = stats.mannwhitneyu(a, b).statistic
        every = stats.permutation_test(
            (a, b), lambda x, y: stats.mannwhitneyu(x, y).statistic, n_resamples=np.inf, vectorized=False
        ).pvalue
        p = tied_p(a, b)
        assert abs(p - every) < 1e-12, (p, every)
        cases.append({"call": "permutation_test of mannwhitneyu, all", "a": a, "b": b, "u": float(u), "p": p})
    for most in (1000, 6):
        a, b = [figures(random.integers(low, low + most, 60)) for low in (0, 1)]
        u, p = stats.mannwhitneyu(a, b, method="asymptotic")
        cases.append({"call": "mannwhitneyu(a, b, method='asymptotic')", "a": a, "b": b, "u": float(u), "p": float(p)})
    return cases


def hodges_lehmann():
    """The interval is what the exact test does not reject: found by asking it of each shift between two differences."""
    cases = []
    for n, m, confidence in [(3, 3, 0.95), (4, 4, 0.95), (5, 5, 0.95), (5, 5, 0.9), (8, 6, 0.95), (10, 10, 0.99), (12, 15, 0.95)]:
        a, b = figures(random.normal(10, 1, n)), figures(random.normal(10.5, 1, m))
        differences = np.sort([y - x for x in a for y in b])
        kept = [
            i
            for i in range(len(differences) - 1)
            if stats.mannwhitneyu(
                a, np.array(b) - (differences[i] + differences[i + 1]) / 2, method="exact"
            ).pvalue
            > 1 - confidence
        ]
        # Beyond the last difference b is above a, all of it: is that rejected? If not, there is no interval.
        beyond = stats.mannwhitneyu(a, np.array(b) - (differences[-1] + 1), method="exact").pvalue > 1 - confidence
        cases.append({
            "call": "inversion of mannwhitneyu(method='exact')", "a": a, "b": b, "confidence": confidence,
            "shift": float(np.median(differences)),
            "low": None if beyond else float(differences[kept[0]]),
            "high": None if beyond else float(differences[kept[-1] + 1]),
        })
    return cases


def spearman():
    cases = []
    for n, most in [(5, 100), (12, 6), (40, 1000)]:
        x = figures(random.integers(0, most, n))
        y = figures(np.array(x) + random.integers(0, most, n))
        cases.append({"call": "spearmanr(x, y)", "x": x, "y": y, "rho": float(stats.spearmanr(x, y).statistic)})
    return cases


def partial_spearman():
    cases = []
    for n, k in [(12, 0), (15, 1), (30, 2), (40, 3)]:
        controls = [figures(random.normal(size=n), 3) for _ in range(k)]
        x = figures(random.normal(size=n) + sum(map(np.array, controls)), 2)
        y = figures(0.3 * np.array(x) + random.normal(size=n) + sum(map(np.array, controls)), 1)
        # By the inverse of the ranks' correlation matrix: another way than the residuals of the code.
        matrix = np.linalg.inv(np.corrcoef([stats.rankdata(v) for v in [x, y, *controls]]))
        rho = float(-matrix[0, 1] / sqrt(matrix[0, 0] * matrix[1, 1]))
        freedom = n - 2 - k
        half = stats.norm.ppf(0.975) / sqrt(freedom - 1)
        cases.append({
            "call": "inv(corrcoef(rankdata)), t.sf, norm.ppf", "x": x, "y": y, "controls": controls, "rho": rho,
            "p": float(2 * stats.t.sf(abs(rho) * sqrt(freedom / (1 - rho**2)), freedom)),
            "low": tanh(atanh(rho) - half), "high": tanh(atanh(rho) + half),
        })
    return cases


def theil_sen():
    cases = []
    for n, most, confidence in [(8, 100, 0.95), (10, 5, 0.95), (30, 1000, 0.9), (60, 8, 0.99)]:
        x = figures(np.sort(random.integers(0, n, n)))
        y = figures(np.array(x) * 0.3 + random.integers(0, most, n), 3)
        fit = stats.theilslopes(y, x, confidence, method="joint")
        cases.append({
            "call": "theilslopes(y, x, confidence, method='joint')", "points": [[a, b] for a, b in zip(x, y)], "confidence": confidence,
            "slope": float(fit.slope), "intercept": float(fit.intercept),
            "low": float(fit.low_slope), "high": float(fit.high_slope),
        })
    return cases


def student():
    return [
        {"call": "2 * t.sf(t, freedom)", "t": t, "freedom": f, "p": float(2 * stats.t.sf(t, f))}
        for t, f in [(0.1, 1), (12.706, 1), (2.571, 5), (0, 7), (1, 2.5), (3.3, 30), (40, 12), (1.96, 1e5)]
    ]


def normal():
    return [
        {"call": "norm.ppf(share)", "share": share, "z": float(stats.norm.ppf(share))}
        for share in [1e-6, 0.0005, 0.025, 0.3, 0.5, 0.9, 0.975, 0.9995]
    ]


document = {
    "made_with": {name: version(name) for name in ["scipy", "numpy"]},
    "normal": normal(),
    "student": student(),
    "mann_whitney": mann_whitney(),
    "hodges_lehmann": hodges_lehmann(),
    "spearman": spearman(),
    "partial_spearman": partial_spearman(),
    "theil_sen": theil_sen(),
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.json"), "w") as file:
    json.dump(document, file, indent=1)
    file.write("\n")
