#!/usr/bin/env python3
"""scripts/kernel_pictures.py: plots of the kernels for docs/kernels.md: docs/images/kernel_NAME.svg.

    PYTHONPATH=python VOLTERRA_LIBRARY=build/libvolterra.so scripts/kernel_pictures.py [NAME...]

Histories have one input per step. All curves are computed with `volterra.gram`. In the kernel's feature space
|a - b|^2 = k(a, a) - 2 k(a, b) + k(b, b) is the squared distance of two histories.

memory   distance between a history and the same one with the value k steps back changed by 0.5. Root mean square over random
         histories, divided by the largest value over all k.
shape    k(a, b) / k(a, a), where a is zero except for its newest value of 0.5, and b except for the value v there.
timing   a is zero except for a pulse 8 to 10 steps back, b has the pulse s steps later: cosine of the angle of a and b, relative
         to the zero history.

Needs NumPy.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import volterra

STEPS = 40  # length of a history
LAGS = 26
HISTORIES = 12
SEED = 2212

# The parameters of each kernel's curves.
CURVES = {
    "volterra": ["tau_coef=0.6,lambda_coef=0.6", "tau_coef=0.6,lambda_coef=0.98", "tau_coef=0.6,lambda_coef=0.98,lift=even"],
    "fading": ["gamma=1,rho=0.5", "gamma=1,rho=0.9", "gamma=4,rho=0.9"],
    "memory": ["gamma=1,rho=0.5,mu=0.5", "gamma=1,rho=0.5,mu=0.9", "gamma=4,rho=0.9,mu=0.9"],
    "fir": ["mu=0.6", "mu=0.9", "mu=0.9,corr=0.8"],
    "recurrent": ["activation=erf", "activation=erf,leak=0.3", "activation=relu,leak=0.3"],
    "esn": ["radius=0.5", "radius=0.9", "radius=0.9,leak=0.3"],
    "sas": ["norm=0.5", "norm=0.99,share=0.1", "norm=0.99,share=0.1,degree=2"],
    "linear": ["window=1", "window=10", "window=20"],
    "rbf": ["gamma=1,window=1", "gamma=1,window=10", "gamma=4,window=20"],
    "cauchy": ["gamma=1,window=1", "gamma=1,window=10", "gamma=4,window=20"],
    "poly": ["degree=2,gamma=1,coef0=1,window=10", "degree=4,gamma=1,coef0=1,window=10", "degree=2,gamma=1,coef0=0,window=20"],
    "sigmoid": ["gamma=1,coef0=0,window=10", "gamma=4,coef0=0,window=10", "gamma=1,coef0=1,window=20"],
    "gak": ["sigma=0.3,window=20", "sigma=1,window=20", "sigma=1,window=10"],
    "sig": ["level=4,window=20", "level=2,window=20,augment=time", "level=4,window=20,augment=time"],
    "sigpde": ["window=20", "window=20,augment=time", "static=rbf,sigma=1,window=20,augment=time"],
}


def value(kernel, a, b):
    return volterra.gram(a[:, None], b[:, None], kernel, radius=1.0, n_jobs=1)[-1, -1]


def memory(kernel):
    rng = np.random.Generator(np.random.Philox(key=[SEED, 0]))
    histories = rng.uniform(-0.5, 0.5, (HISTORIES, STEPS))
    moved = np.zeros(LAGS)
    for a in histories:
        own = value(kernel, a, a)
        for lag in range(LAGS):
            b = a.copy()
            b[-1 - lag] += 0.5
            moved[lag] += own - 2.0 * value(kernel, a, b) + value(kernel, b, b)
    moved = np.sqrt(np.maximum(moved, 0.0))
    return np.arange(LAGS), moved / moved.max()


def shape(kernel):
    a = np.zeros(STEPS)
    a[-1] = 0.5
    values = np.linspace(-1.0, 1.0, 41)
    like = []
    for v in values:
        b = np.zeros(STEPS)
        b[-1] = v
        like.append(value(kernel, a, b) / value(kernel, a, a))
    return values, np.array(like)


def timing(kernel):
    def pulse(shift):
        a = np.zeros(STEPS)
        a[STEPS - 11 + shift : STEPS - 8 + shift] = [0.5, 1.0, 0.5]
        return a

    def product(a, b):
        silent = np.zeros(STEPS)
        return value(kernel, a, b) - value(kernel, a, silent) - value(kernel, silent, b) + value(kernel, silent, silent)

    shifts = np.arange(-8, 9)
    a = pulse(0)
    cosines = []
    for s in shifts:
        b = pulse(s)
        size = product(a, a) * product(b, b)
        cosines.append(product(a, b) / np.sqrt(size) if size > 0.0 else np.nan)
    return shifts, np.array(cosines)


# ---- drawing --------------------------------------------------------------------------------------

PANELS = [  # title, function of the curve, ticks of x, values included in the range of y
    ("memory: a value changes, k steps back", memory, [0, 5, 10, 15, 20, 25], [0.0, 1.0]),
    ("shape: newest value v against 0.5", shape, [-1, -0.5, 0, 0.5, 1], []),
    ("timing: the same pulse, s steps later", timing, [-8, -4, 0, 4, 8], [0.0, 1.0]),
]
COLOURS = ["#7570b3", "#d95f02", "#1b9e77"]
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, PITCH, PANEL = 900, 260, 48, 62, 30, 298, 250


def ticks_of(low, high):
    """A few round numbers between low and high."""
    step = 10.0 ** np.ceil(np.log10(high - low))
    for factor in (1.0, 0.5, 0.25, 0.2, 0.1):
        ticks = np.arange(np.ceil(low / (step * factor) - 1e-9), np.floor(high / (step * factor) + 1e-9) + 1) * step * factor
        if len(ticks) >= 3:
            return ticks
    return ticks


def polylines(x, y, to_x, to_y, colour):
    """The curve, split at gaps."""
    seen = np.isfinite(y)
    starts = np.flatnonzero(seen & ~np.r_[False, seen[:-1]])
    ends = np.flatnonzero(seen & ~np.r_[seen[1:], False])
    for i, j in zip(starts, ends):
        points = " ".join(f"{to_x(a):.1f},{to_y(b):.1f}" for a, b in zip(x[i : j + 1], y[i : j + 1]))
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"/>'


def panel(left, title, curves, x_ticks, y_shown):
    heights = np.concatenate([y[np.isfinite(y)] for _, y in curves] + [y_shown])
    margin = 0.03 * np.ptp(heights)
    low, high = heights.min() - margin, heights.max() + margin
    bottom = HEIGHT - BOTTOM

    def to_x(x):
        return left + PANEL * (x - x_ticks[0]) / (x_ticks[-1] - x_ticks[0])

    def to_y(y):
        return bottom - (bottom - TOP) * (y - low) / (high - low)

    yield f'<text x="{left}" y="{TOP - 12}" fill="#303030">{title}</text>'
    yield f'<path d="M{left} {TOP}V{bottom}H{left + PANEL}" fill="none" stroke="#808080"/>'
    for x in x_ticks:
        yield f'<path d="M{to_x(x):.1f} {bottom}v4" stroke="#808080"/>'
        yield f'<text x="{to_x(x):.1f}" y="{bottom + 18}" text-anchor="middle">{x:g}</text>'
    for y in ticks_of(low, high):
        yield f'<path d="M{left} {to_y(y):.1f}h-4" stroke="#808080"/>'
        yield f'<text x="{left - 7}" y="{to_y(y) + 4:.1f}" text-anchor="end">{np.round(y, 6) + 0.0:g}</text>'
    for (x, y), colour in zip(curves, COLOURS):
        yield from polylines(x, y, to_x, to_y, colour)


def picture(name):
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        ' font-family="sans-serif" font-size="12" fill="#606060">',
        f"<title>Kernel {name}: memory, shape and timing</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for i, (text, colour) in enumerate(zip(CURVES[name], COLOURS)):
        left = LEFT + i * PITCH
        lines.append(f'<path d="M{left} 18h18" stroke="{colour}" stroke-width="3"/>')
        lines.append(f'<text x="{left + 24}" y="22" fill="{colour}" font-size="10">{text}</text>')
    for p, (title, ask, x_ticks, y_shown) in enumerate(PANELS):
        curves = [ask(f"{name}:{text}") for text in CURVES[name]]
        lines += panel(LEFT + p * PITCH, title, curves, x_ticks, y_shown)
    return "\n".join([*lines, "</svg>"]) + "\n"


def main():
    warnings.simplefilter("ignore", volterra.VolterraWarning)  # sigmoid and sigpde need not be positive semidefinite
    images = Path(__file__).resolve().parent.parent / "docs/images"
    for name in sys.argv[1:] or volterra.kernel_table():
        (images / f"kernel_{name}.svg").write_text(picture(name))


if __name__ == "__main__":
    main()
