#!/usr/bin/env python3
"""tests/reference/make_recurrent.py: recurrent kernels by their definition: writes recurrent.json.

    python3 tests/reference/make_recurrent.py

Uses only the standard library. Every pair of histories is run on its own after PREFIX rows of zeros, without a fixed point:

    S = radius^2 K + input^2 <x, y> + bias^2,     K <- q K + (1 - q) E[f(u) f(v)],     q = (1 - leak)^2

The expectations are from Williams (erf) and Cho and Saul (relu, sign), with acos in place of asin where that is the
published form. They are checked here against a quadrature of the definition over normal variables.
"""

import json
import math
import pathlib
import random

PREFIX, ROWS, OTHER, D, SEED = 600, 9, 6, 2, 5
SETTINGS = [
    {"activation": "erf", "input": 0.7, "radius": 0.8, "bias": 0.4, "leak": 1.0},
    {"activation": "erf", "input": 1.5, "radius": 1.05, "bias": 0.6, "leak": 0.3},
    {"activation": "relu", "input": 0.7, "radius": 0.8, "bias": 0.4, "leak": 1.0},
    {"activation": "relu", "input": 1.2, "radius": 0.9, "bias": 0.0, "leak": 0.4},
    {"activation": "sign", "input": 0.7, "radius": 0.8, "bias": 0.4, "leak": 1.0},
    {"activation": "sign", "input": 0.9, "radius": 0.5, "bias": 1.0, "leak": 0.5},
]
ACTIVATIONS = {
    "erf": lambda u: math.erf(math.sqrt(math.pi) / 2 * u),
    "relu": lambda u: math.sqrt(2) * max(u, 0.0),
    "sign": lambda u: math.copysign(1.0, u),
}


def expectation(activation, s, a, b):
    """E[f(u) f(v)] for normal u and v with variances a and b and covariance s."""
    if activation == "erf":
        h = math.pi / 2
        return 2 / math.pi * math.asin(h * s / math.sqrt((1 + h * a) * (1 + h * b)))
    if a == 0 or b == 0:
        return 0.0
    angle = math.acos(max(-1.0, min(1.0, s / math.sqrt(a * b))))
    if activation == "relu":
        return math.sqrt(a * b) / math.pi * (math.sin(angle) + (math.pi - angle) * math.cos(angle))
    return 1 - 2 * angle / math.pi


def quadrature(activation, s, a, b, points=1200):
    """The same by the midpoint rule over two independent normal variables."""
    f, step, total = ACTIVATIONS[activation], 16 / points, 0.0
    rest = math.sqrt(b - s * s / a)
    grid = [-8 + (i + 0.5) * step for i in range(points)]
    weights = [math.exp(-x * x / 2) * step / math.sqrt(2 * math.pi) for x in grid]
    for x, w in zip(grid, weights):
        u = math.sqrt(a) * x
        total += w * f(u) * sum(v * f(s / math.sqrt(a) * x + rest * y) for y, v in zip(grid, weights))
    return total


def dot(x, y):
    return sum(p * q for p, q in zip(x, y))


def kernel(x, y, activation, input, radius, bias, leak):  # noqa: A002 - the name of the parameter
    """The kernel of two histories of any lengths, both after zeros."""
    length = PREFIX + max(len(x), len(y))
    x = [[0.0] * D] * (length - len(x)) + x
    y = [[0.0] * D] * (length - len(y)) + y
    q = (1 - leak) ** 2
    k = kx = ky = 1.0 if activation == "sign" else 0.0
    for u, v in zip(x, y):
        s, a, b = (radius**2 * n + input**2 * p + bias**2 for n, p in ((k, dot(u, v)), (kx, dot(u, u)), (ky, dot(v, v))))
        k = q * k + (1 - q) * (expectation(activation, s, a, b) if u != v or k != kx or k != ky else expectation(activation, a, a, a))
        kx = q * kx + (1 - q) * expectation(activation, a, a, a)
        ky = q * ky + (1 - q) * expectation(activation, b, b, b)
    return k


def main():
    for activation in ACTIVATIONS:
        for s, a, b in ((0.3, 0.8, 1.4), (-0.5, 1.0, 0.7)):
            gap = expectation(activation, s, a, b) - quadrature(activation, s, a, b)
            assert abs(gap) < 2e-3, (activation, s, gap)  # sign and relu are not smooth: the step of the rule is 1 / 75
    rng = random.Random(SEED)
    X = [[rng.uniform(-1, 1) for _ in range(D)] for _ in range(ROWS)]
    Y = [[rng.uniform(-1, 1) for _ in range(D)] for _ in range(OTHER)]
    cases = [
        dict(
            setting,
            gram_xx=[[kernel(X[: i + 1], X[: j + 1], **setting) for j in range(ROWS)] for i in range(ROWS)],
            gram_xy=[[kernel(X[: i + 1], Y[: j + 1], **setting) for j in range(OTHER)] for i in range(ROWS)],
        )
        for setting in SETTINGS
    ]
    text = json.dumps({"seed": SEED, "inputs": {"X": X, "Y": Y}, "cases": cases, "tol": 1e-13}, indent=1)
    (pathlib.Path(__file__).parent / "recurrent.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
