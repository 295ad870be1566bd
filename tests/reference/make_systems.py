"""tests/reference/make_systems.py: the systems of volt_simulate by SciPy -> systems.json.

Run with SciPy:  python tests/reference/make_systems.py
DOP853 with tight tolerances, from the same initial values. The input is computed from NumPy's Philox by its definition,
a sum of cosines at any time. Kuramoto-Sivashinsky: DOP853 on the Fourier modes from numpy.fft, which resolves the fast
decay of the high modes by small steps."""
import json
import os

import numpy as np
import scipy
from scipy.integrate import solve_ivp

TIGHT = dict(method="DOP853", rtol=2.3e-14, atol=1e-15)


def phases(seed, count):
    generator = np.random.Generator(np.random.Philox(key=np.array([seed, 1], dtype=np.uint64)))
    return 2 * np.pi * generator.random(count)


def multisine(amplitude, bandwidth, period, spacing, seed):
    """u(t), with `spacing` units of time between rows."""
    k = np.arange(1, int(np.floor(bandwidth * period)) + 1)
    phi = phases(seed, len(k))
    scale = amplitude * np.sqrt(2 / len(k))
    return lambda t: scale * np.sum(np.cos(2 * np.pi * k * t / (period * spacing) + phi))


def solve(field, x, times):
    """Rows of the solution at `times`, restarted at each of them."""
    rows = [np.array(x, dtype=float)]
    for begin, end in zip(times, times[1:]):
        run = solve_ivp(field, (begin, end), rows[-1], max_step=(end - begin) / 2, **TIGHT)
        assert run.success
        rows.append(run.y[:, -1])
    return np.array(rows)


def lorenz96(case):
    forcing, d = case["forcing"], int(case["dimension"])
    x = np.full(d, forcing)
    x[0] += case["start"][0]

    def field(_, x):
        return (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + forcing

    return solve(field, x, case["times"])


def kuramoto(case):
    length, n = case["domain"], int(case["modes"])
    p = 2 * np.pi * np.arange(n) / n
    q = 2 * np.pi / length * np.fft.fftfreq(n, 1 / n)
    q[n // 2] = 0
    rate = q**2 - q**4

    def field(_, packed):
        v = packed[:n] + 1j * packed[n:]
        dv = rate * v - 0.5j * q * np.fft.fft(np.fft.ifft(v).real ** 2)
        return np.concatenate([dv.real, dv.imag])

    v = np.fft.fft(case["start"][0] * (np.sin(p) + np.cos(2 * p)))
    rows = solve(field, np.concatenate([v.real, v.imag]), case["times"])
    return np.array([np.fft.ifft(r[:n] + 1j * r[n:]).real for r in rows])


def driven(case, make_field, x):
    u = multisine(case["amplitude"], case["bandwidth"], case["period"], case["times"][1], case["seed"])
    rows = solve(make_field(u), x, case["times"])
    return np.array([[u(t), row[0]] for t, row in zip(case["times"], rows)])


def duffing(case):
    damping, linear, cubic = (case[k] for k in ("damping", "linear", "cubic"))
    return driven(case, lambda u: lambda t, x: [x[1], u(t) - damping * x[1] - linear * x[0] - cubic * x[0] ** 3],
                  case["start"])


def van_der_pol(case):
    mu = case["mu"]
    return driven(case, lambda u: lambda t, x: [x[1], u(t) + mu * (1 - x[0] ** 2) * x[1] - x[0]], case["start"])


def wiener_hammerstein(case):
    w1, z1, w2, z2, gain = (case[k] for k in ("frequency1", "damping1", "frequency2", "damping2", "gain"))

    def make_field(u):
        return lambda t, x: [
            x[1],
            -2 * z2 * w2 * x[1] - w2**2 * (x[0] - np.tanh(gain * x[2]) / gain),
            x[3],
            -2 * z1 * w1 * x[3] - w1**2 * (x[2] - u(t)),
        ]

    return driven(case, make_field, [0, 0, 0, 0])


def bouc_wen(case):
    m, c, k, alpha, beta, gamma, delta, nu = (
        case[name] for name in ("mass", "damping", "stiffness", "alpha", "beta", "gamma", "delta", "nu"))

    def make_field(u):
        def field(t, x):
            y, v, z = x
            return [v, (u(t) - c * v - k * y - z) / m,
                    alpha * v - beta * (gamma * abs(v) * np.sign(z) * abs(z) ** nu + delta * v * abs(z) ** nu)]
        return field

    return driven(case, make_field, [0, 0, 0])


def times(count, spacing):
    return [i * spacing for i in range(count)]


# The parameters differ from the defaults. `steps`: Runge-Kutta steps per row in the test.
CASES = [
    ("lorenz96", lorenz96, dict(forcing=8.5, dimension=7, start=[0.3], times=times(31, 0.1), steps=1600)),
    ("kuramoto-sivashinsky", kuramoto, dict(domain=20.0, modes=32, start=[0.8], times=times(21, 1.0), steps=800)),
    ("duffing", duffing, dict(amplitude=0.8, bandwidth=0.11, period=64, seed=5, damping=0.2, linear=-1.0, cubic=1.5,
                              start=[0.4, -0.3], times=times(81, 0.25), steps=400)),
    ("van-der-pol", van_der_pol, dict(amplitude=1.3, bandwidth=0.2, period=50, seed=6, mu=1.7, start=[0.5, 0.2],
                                      times=times(81, 0.25), steps=400)),
    ("wiener-hammerstein", wiener_hammerstein,
     dict(amplitude=2.0, bandwidth=0.3, period=40, seed=7, frequency1=1.2, damping1=0.3, frequency2=0.8, damping2=0.7,
          gain=1.5, times=times(61, 0.5), steps=400)),
    ("bouc-wen", bouc_wen,
     dict(amplitude=60.0, bandwidth=0.2, period=128, seed=8, mass=2.0, damping=10.0, stiffness=5e4, alpha=5e4, beta=1e3,
          gamma=0.8, delta=-1.1, nu=1.0, times=times(101, 1 / 750), steps=2000)),
]


def main():
    case = {
        "name": "systems",
        "source": f"scipy {scipy.__version__} solve_ivp DOP853 rtol=2.3e-14 by make_systems.py",
        "inputs": {name: inputs for name, _, inputs in CASES},
        "expected": {name: run(inputs).tolist() for name, run, inputs in CASES},
        "tol": 1e-9,
        "notes": "rows at `times`, relative to the largest value of a column; `steps` Runge-Kutta steps per row",
    }
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "systems.json")
    with open(path, "w") as file:
        json.dump(case, file)
        file.write("\n")


if __name__ == "__main__":
    main()
