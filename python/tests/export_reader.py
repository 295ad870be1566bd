"""A prediction from the JSON of ``export``, as docs/file_formats.md describes it, without the library."""

import math

import numpy as np


def body(text):
    """C statements of a step without loops, as Python."""
    lines = []
    for line in text.splitlines():
        line = line.replace("const double ", "").replace("double ", "").rstrip(";")
        lines.append(line.replace("return ", "entry = ", 1))
    return compile("\n".join(lines), "step", "exec")


class Factor:
    def __init__(self, factor, part, start):
        self.factor, self.rows = factor, np.array(part["rows"])
        self.firsts = set(part["records"])
        self.code = body(factor["step"])
        state = factor[start]
        self.a = np.array(state.get("rows", np.zeros((len(self.rows), 0))), dtype=float)
        self.border = np.array(state["border"][0], dtype=float) if "border" in state else np.zeros(0)
        columns = len(part["shift"])
        self.slice = slice(factor["slice"] * columns, (factor["slice"] + 1) * columns)
        self.origin = np.array(factor.get("origin", np.zeros(columns)))

    def step(self, a, z, y):
        local = ((z - y) ** 2).sum() if self.factor["local"] == "distance" else z @ y
        names = {"s": local, "a": a, "exp": math.exp, "tanh": math.tanh, **self.factor["constants"]}
        exec(self.code, names)
        return names["entry"]

    def entries(self, z):
        z, entries = z[self.slice], np.zeros(len(self.rows))
        for j in range(len(self.rows) - 1, -1, -1):
            self.a[j] = self.border if j in self.firsts else self.a[j - 1]
            entries[j] = self.step(self.a[j], z, self.rows[j, self.slice])
        if self.border.size:
            self.step(self.border, z, self.origin)
        return entries


class Part:
    def __init__(self, part, start):
        self.part, self.factors = part, [Factor(f, part, start) for f in part["factors"]]
        self.lags = [np.array(row) for row in part.get("lags_" + start, [])]
        self.bank = np.array(part.get("filters_" + start, []), dtype=float)
        feedback = part.get("feedback")
        self.fed = None
        if feedback is not None:
            self.fed = np.zeros(len(feedback["offset"])) if start == "start" else np.array(feedback["end"])

    def columns(self, x):
        part = self.part
        if "columns" not in part:
            return list(x)
        rows = (self.lags or [x] * part["lags"]) + [x]  # the last one is the present row
        found = []
        for column in part["columns"]:
            value = rows[-1 - column["lag"]][column["input"]]
            if "minus_lag" in column:
                value -= rows[-1 - column["minus_lag"]][column["input"]]
            value *= column["weight"]
            found.append(min(max(value, column.get("low", -math.inf)), column.get("high", math.inf)))
        self.lags = rows[1:]
        return found

    def filtered(self, column):
        part, width = self.part, len(column)
        if "filters" not in part:
            return [column]
        slices = []
        for s, filter in enumerate(part["filters"]):
            v, w, older, u = (self.bank[(4 * s + i) * width : (4 * s + i + 1) * width] for i in range(4))
            value = column
            if filter["pole"]:
                v[:] = value = filter["pole"] * v + (1 - abs(filter["pole"])) * value
            if filter["pair"]:
                square = filter["pair"] ** 2
                value = filter["turn"] * w - square * older + (1 - filter["turn"] + square) * value
                older[:], w[:] = w.copy(), value
            if filter["echo"]:
                u[:] = value = value + filter["echo"] * u
            slices.append(value)
        return slices

    def step(self, x):
        part = self.part
        column = np.concatenate([self.columns(x), [] if self.fed is None else self.fed])
        slices = self.filtered((column - part["shift"]) * part["scale"])
        for s, radius in enumerate(part["radius"]):
            norm = np.linalg.norm(slices[s])
            if radius is not None and norm > radius * (1 + 1e-14):
                slices[s] = slices[s] * radius / norm
        z, kernel = np.concatenate(slices), 0
        entries = [factor.entries(z) for factor in self.factors]
        for term, weight in enumerate(part["term_weights"]):
            chosen = [e for e, f in zip(entries, part["factors"]) if f["term"] == term]
            kernel = kernel + weight * np.prod(chosen, axis=0)
        y = np.array(part["target_scale"]) * (part["intercept"] + kernel @ np.array(part["coefficients"]))
        y = y + part["target_mean"] + [x[i] if i >= 0 else 0 for i in part["added_input"]]
        if self.fed is not None:
            self.fed = part["feedback"]["weight"] * (y - part["feedback"]["offset"])
        return y


def predict(content, rows, start="end"):
    """Predictions of the rows from the state `start`: "start" or "end"."""
    parts = [Part(part, start) for part in content["parts"]]
    return np.array([sum(p.part["weight"] * p.step(np.array(row)) for p in parts) for row in rows])
