"""tests/reference/make_mackey_glass.py: Mackey-Glass by a chain of ordinary equations ->
mackey_glass_accurate.json.

Run with SciPy:  python tests/reference/make_mackey_glass.py
On [k delay, (k+1) delay] let x_k(s), s in [0, delay], be the solution. Then (x_0, ..., x_{m-1}) solves an
ordinary system, x_k' = a x_{k-1} / (1 + x_{k-1}^power) - b x_k with x_{-1} = start, where x_k(0) = x_{k-1}(delay).
Each delay adds one equation; the whole chain is integrated again from known starting values, so that no
delayed value is ever interpolated. DOP853 at the tightest tolerance that SciPy allows."""
import json
import os

import numpy as np
import scipy
from scipy.integrate import solve_ivp

CASES = [  # a, b, power, delay, start, delays
    (0.2, 0.1, 10.0, 17.0, 1.2, 12),
    (0.2, 0.1, 10.0, 30.0, 0.5, 6),
    (0.25, 0.1, 7.5, 20.0, 0.9, 6),
    (-0.3, 0.1, 4.0, 10.0, 0.8, 8),  # negative feedback: passes through 0
]
PER_DELAY = 10  # values stored in each delay


def solve(a, b, power, delay, start, delays):
    starts, values = [start], []

    def field(_, x):
        y = np.concatenate([[start], x[:-1]])
        return a * y / (1 + y**power) - b * x

    for _ in range(delays):
        x = np.array(starts)
        for _ in range(PER_DELAY):
            run = solve_ivp(field, (0, delay / PER_DELAY), x, method="DOP853", rtol=2.3e-14, atol=1e-16,
                            max_step=delay / 200)
            assert run.success
            x = run.y[:, -1]
            values.append(x[-1])
        starts.append(x[-1])
    return values


def main():
    case = {
        "name": "mackey_glass_accurate",
        "source": f"scipy {scipy.__version__} solve_ivp DOP853 rtol=2.3e-14 on the chain of equations of "
                  "make_mackey_glass.py",
        "params": {"per_delay": PER_DELAY},
        "inputs": {"cases": [list(c) for c in CASES]},
        "expected": {"values": [[float(v) for v in solve(*c)] for c in CASES]},
        "tol": 1e-12,
        "notes": "relative to max|x|; value i of a case is x((i + 1) delay / per_delay); a case is a, b, power, "
                 "delay, start, number of delays",
    }
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mackey_glass_accurate.json")
    with open(path, "w") as file:
        json.dump(case, file, indent=1)
        file.write("\n")


main()
