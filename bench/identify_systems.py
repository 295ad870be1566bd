"""bench/identify_systems.py: the systems of bench_identify_peers.py.

Eight systems are simulated from published equations, with noise on the output. Eight are measured; their files
are public, are not shipped, and are read from a folder (SOURCES). A system is a folder with train.csv and
test.csv; manifest.json lists all. The halves for development and confirmation are drawn with SPLIT_SEED.
"""

import json
import math
import pathlib
import random

import numpy as np

SPLIT_SEED = 31
KNOWN_ROWS = 100  # at most; see known_rows


def known_rows(n_train, n_test):
    """Leading test rows whose measured outputs set the initial state; they are not scored."""
    return min(KNOWN_ROWS, n_train // 20, n_test // 10)


# ---- inputs ------------------------------------------------------------------------------------------------


def random_steps(rng, n, low, high, shortest, longest):
    """Steps of uniform height and length."""
    values = np.empty(n)
    t = 0
    while t < n:
        length = int(rng.integers(shortest, longest + 1))
        values[t : t + length] = rng.uniform(low, high)
        t += length
    return values


def filtered_noise(rng, n, pole, rms):
    """White noise through two equal real poles, with the given root mean square."""
    noise = rng.standard_normal(n + 200)
    first = second = 0.0
    values = np.empty(len(noise))
    for t, value in enumerate(noise):
        first = pole * first + value
        second = pole * second + first
        values[t] = second
    values = values[200:] - values[200:].mean()
    return values * rms / values.std()


def integrate(slope, state, inputs, step, substeps):
    """States at the end of each sampling interval, by the classical Runge-Kutta method; inputs are held."""
    state = np.array(state, float)
    h = step / substeps
    states = np.empty((len(inputs), len(state)))
    for t, u in enumerate(inputs):
        for _ in range(substeps):
            k1 = slope(state, u)
            k2 = slope(state + h / 2 * k1, u)
            k3 = slope(state + h / 2 * k2, u)
            k4 = slope(state + h * k3, u)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        states[t] = state
    return states


# ---- simulated systems: rng, rows -> inputs (rows, columns), output (rows) without noise -------------------


def bouc_wen(rng, n):
    """An oscillator with a hysteretic spring, in dimensionless form: Wen (1976), J. Eng. Mech. Div. 102."""
    damping, share, beta, gamma, power = 0.05, 0.2, 0.7, 0.3, 1.5

    def slope(s, u):
        x, v, z = s
        force = u[0] - 2 * damping * v - share * x - (1 - share) * z
        growth = v - beta * abs(v) * abs(z) ** (power - 1) * z - gamma * v * abs(z) ** power
        return np.array([v, force, growth])

    u = filtered_noise(rng, n, 0.6, 0.5)[:, None]
    return u, integrate(slope, [0, 0, 0], u, 0.4, 4)[:, 0]


def duffing(rng, n):
    """A mass on a hardening spring: x'' + 0.2 x' + x + x^3 = u."""

    def slope(s, u):
        return np.array([s[1], u[0] - 0.2 * s[1] - s[0] - s[0] ** 3])

    u = filtered_noise(rng, n, 0.7, 0.8)[:, None]
    return u, integrate(slope, [0, 0], u, 0.3, 4)[:, 0]


def cstr(rng, n):
    """Temperature of an exothermic reactor; input: coolant temperature (Seborg, Edgar and Mellichamp)."""

    def slope(s, u):
        concentration, temperature = s
        rate = 7.2e10 * math.exp(-8750 / temperature) * concentration
        heat = 5e4 / 239 * rate + 5e4 / (100 * 239) * (u[0] - temperature)
        return np.array([1 - concentration - rate, 350 - temperature + heat])

    u = random_steps(rng, n, 288.0, 301.0, 8, 40)[:, None]
    return u, integrate(slope, [0.88, 324.0], u, 0.1, 4)[:, 1]


def bioreactor(rng, n):
    """Cell concentration in a bioreactor; input: dilution rate (Ungar 1990, after Agrawal et al. 1982)."""
    beta, gamma = 0.02, 0.4

    def slope(s, u):
        cells, conversion = s
        growth = cells * (1 - conversion) * math.exp(conversion / gamma)
        uptake = growth * (1 + beta) / (1 + beta - conversion)
        return np.array([growth - cells * u[0], uptake - conversion * u[0]])

    u = random_steps(rng, n, 0.55, 0.80, 10, 50)[:, None]
    return u, integrate(slope, [0.15, 0.87], u, 0.5, 8)[:, 0]


def hammerstein(rng, n):
    """A dead zone with an asymmetric saturation, then a resonance and a slow pole."""
    u = filtered_noise(rng, n, 0.5, 1.0)
    bent = np.where(u > 0.3, np.minimum(u - 0.3, 1.2), np.where(u < -0.3, np.maximum(u + 0.3, -0.7), 0.0))
    a1, a2 = 2 * 0.92 * math.cos(0.5), -(0.92**2)
    y, slow, one, two, last = np.empty(n), 0.0, 0.0, 0.0, 0.0
    for t in range(n):
        slow = 0.95 * slow + 0.05 * last
        y[t] = a1 * one + a2 * two + 0.2 * last + 0.6 * slow
        one, two, last = y[t], one, bent[t]
    return u[:, None], y


def wiener(rng, n):
    """A low pass of second order, then a sensor with different gains for both signs and a saturation."""
    u = random_steps(rng, n, -1.0, 1.0, 3, 25)
    y, one, two = np.empty(n), 0.0, 0.0
    for t in range(n):
        x = 1.5 * one - 0.56 * two + (0.06 * u[t - 1] if t else 0.0)
        y[t] = math.atan(3 * x) if x > 0 else 0.6 * math.exp(1.2 * x) - 0.6
        one, two = x, one
    return u[:, None], y


def conical_tank(rng, n):
    """Level of a cone without a free outlet (an integrator); inputs: pumped inflow and outflow."""
    target, inflow, outflow = random_steps(rng, n, 0.3, 1.6, 30, 90), np.empty(n), np.empty(n)
    draw = random_steps(rng, n, 0.02, 0.10, 10, 60)
    y, volume = np.empty(n), 0.4
    for t in range(n):
        level = (3 * volume / math.pi) ** (1 / 3)
        y[t] = level
        wanted = 0.06 + 0.3 * (target[t] - level) + 0.02 * rng.standard_normal()
        inflow[t] = min(max(wanted, 0.0), 0.2)
        outflow[t] = draw[t] if volume > 0.05 else 0.0
        volume = max(volume + 0.25 * (inflow[t] - outflow[t]), 1e-4)
    return np.column_stack([inflow, outflow]), y


def van_der_pol(rng, n):
    """A self-excited oscillator with a force: x'' - (1 - x^2) x' + x = u."""

    def slope(s, u):
        return np.array([s[1], u[0] + (1 - s[0] ** 2) * s[1] - s[0]])

    u = filtered_noise(rng, n, 0.8, 1.5)[:, None]
    return u, integrate(slope, [1, 0], u, 0.25, 4)[:, 0]


# name: (simulator, training rows, test rows, noise relative to the standard deviation of the output)
SIMULATED = {
    "bouc_wen": (bouc_wen, 3000, 1500, 0.01),
    "duffing": (duffing, 2000, 1000, 0.01),
    "cstr": (cstr, 1500, 800, 0.01),
    "bioreactor": (bioreactor, 1200, 600, 0.02),
    "hammerstein": (hammerstein, 800, 400, 0.03),
    "wiener": (wiener, 500, 300, 0.02),
    "conical_tank": (conical_tank, 1000, 500, 0.01),
    "van_der_pol": (van_der_pol, 2500, 1000, 0.02),
}


def simulate(name):
    """Training and test records: (inputs, measured output) each."""
    function, n_train, n_test, noise = SIMULATED[name]
    records = []
    for part, n in enumerate((n_train, n_test)):
        rng = np.random.default_rng([sum(name.encode()), part])
        inputs, output = function(rng, n + 100)
        inputs, output = inputs[100:], output[100:]
        records.append((inputs, output + noise * output.std() * rng.standard_normal(n)))
    return records


# ---- measured systems --------------------------------------------------------------------------------------

DAISY = "DaISy, the identification database of De Moor (ESAT, KU Leuven): free for research, with a citation"
SYSIDENTPY = "data of SysIdentPy (W. Rocha), MIT licence"
AUTOMATION = "AutomationShield (G. Takacs), CC BY-NC-ND 4.0: not redistributed"

# name: (files, inputs, output, downsampling factor, training rows, source, system)
# Without a number of training rows the second file is the test.
SOURCES = {
    "thermal_wall": (["thermic_res_wall.dat"], [0, 1], 2, 1, 1200, DAISY, "heat flow through a wall"),
    "evaporator": (["evaporator.dat"], [0, 1, 2], 3, 1, 4200, DAISY, "product of a four-stage evaporator"),
    "winding": (["winding.dat"], [0, 1, 2, 3, 4], 5, 1, 1700, DAISY, "tension in a winding process"),
    "cd_player": (["CD_player_arm.dat"], [0, 1], 2, 1, 1400, DAISY, "arm of a CD player in a control loop"),
    "heating": (["heating_system.dat"], [1], 2, 1, 500, DAISY, "plate heated by a halogen lamp"),
    "generator": (["generator.csv"], [0], 1, 100, 3500, SYSIDENTPY, "speed of a DC motor with a generator"),
    "buck": (["buck_id.csv", "buck_valid.csv"], [1], 2, 1, None, SYSIDENTPY, "voltage of a buck converter"),
    "aero": (["ident_data.txt", "val_data.txt"], [1], 0, 4, None, AUTOMATION, "pendulum driven by a propeller"),
}


def read_table(path):
    """Numbers of a text file; a header line and commas are allowed."""
    lines = path.read_text().replace(",", " ").splitlines()
    if not lines[0].split()[0].lstrip("+-").replace(".", "").isdigit():
        lines = lines[1:]
    return np.loadtxt(lines)


def read_measured(raw, name):
    """Training and test records, from the published files in the folder `raw`.

    generator.csv has the columns of x_cc.csv and y_cc.csv.
    """
    files, inputs, output, every, n_train = SOURCES[name][:5]
    tables = [read_table(pathlib.Path(raw) / file)[::every] for file in files]
    if n_train is not None:
        tables = [tables[0][:n_train], tables[0][n_train:]]
    return [(table[:, inputs], table[:, output]) for table in tables]


# ---- files -------------------------------------------------------------------------------------------------


def write_record(path, record):
    inputs, output = record
    names = [f"u{k + 1}" for k in range(inputs.shape[1])] + ["y"]
    lines = [",".join(names)]
    lines += [",".join(f"{value:.9g}" for value in row) for row in np.column_stack([inputs, output])]
    path.write_text("\n".join(lines) + "\n")
    return names[:-1]


def halves():
    """name -> dev or confirm: half of the simulated and half of the measured systems each."""
    drawn = random.Random(SPLIT_SEED)
    split = {}
    for names in (sorted(SIMULATED), sorted(SOURCES)):
        drawn.shuffle(names)
        split.update({name: "dev" if k < len(names) // 2 else "confirm" for k, name in enumerate(names)})
    return split


def make_systems(folder, raw):
    """Writes the simulated systems, and the measured ones if the folder of their files is given."""
    folder = pathlib.Path(folder)
    entries, split = [], halves()
    for name in [*(SOURCES if raw else ()), *SIMULATED]:
        measured = name in SOURCES
        records = read_measured(raw, name) if measured else simulate(name)
        (folder / name).mkdir(parents=True, exist_ok=True)
        for part, record in zip(("train", "test"), records):
            inputs = write_record(folder / name / f"{part}.csv", record)
        n_train, n_test = (len(output) for _, output in records)
        known = known_rows(n_train, n_test)
        about = {"name": name, "split": split[name], "kind": "measured" if measured else "simulated"}
        about.update(train=f"{name}/train.csv", test=f"{name}/test.csv", inputs=inputs, outputs=["y"])
        about.update(train_rows=n_train, test_rows=n_test, known_rows=known)
        if measured:
            about.update(system=SOURCES[name][6], source=SOURCES[name][5])
        else:
            about.update(system=SIMULATED[name][0].__doc__.split("\n")[0], noise=SIMULATED[name][3])
            about["source"] = "simulated by bench/identify_systems.py, licence of this project"
        entries.append(about)
    (folder / "manifest.json").write_text(json.dumps({"systems": entries}, indent=1) + "\n")
    return entries
