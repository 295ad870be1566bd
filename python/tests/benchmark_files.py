"""Synthetic data in the file formats of the published benchmarks."""

from __future__ import annotations

import pathlib
import struct
from typing import Dict, List

import numpy as np


def recursion(u: np.ndarray, keep: float, gain: float, square: float = 0.0) -> np.ndarray:
    y, state = np.empty(len(u)), 0.0
    for t, value in enumerate(u.tolist()):
        state = keep * state + gain * value + square * value * value
        y[t] = state
    return y


def write_csv(path: pathlib.Path, columns: Dict[str, List[str]]) -> None:
    """As MATLAB exports write them: quoted names, and a comma at the end of every line."""
    lines = [",".join(f'"{name}"' for name in columns) + ","]
    lines += [",".join(cells) + "," for cells in zip(*columns.values())]
    path.write_text("\n".join(lines) + "\n")


def cells(values: np.ndarray, *parts: slice) -> List[str]:
    """Rows outside of the parts are empty: reading one of them is an error."""
    texts = [""] * len(values)
    for part in parts:
        texts[part] = [f"{value:.7g}" for value in values[part].tolist()]
    return texts


def write_wiener_hammerstein(folder: pathlib.Path) -> pathlib.Path:
    t = np.arange(188000)
    u = np.sin(0.37 * t) * np.cos(0.013 * t) + 0.4 * np.sin(0.0007 * t * t)
    used = slice(5200, 184000)
    columns = {"uBenchMark": cells(u, used), "yBenchMark": cells(recursion(u, 0.6, 0.4, 0.05), used)}
    path = folder / "wiener_hammerstein.csv"
    write_csv(path, {**columns, "fs": [""] * len(t)})
    return path


def write_silverbox(folder: pathlib.Path) -> pathlib.Path:
    t = np.arange(128000)
    u = 0.1 * np.sin(0.31 * t) * np.cos(0.017 * t)
    used = (slice(100, 40575), slice(40650, 127400))
    path = folder / "SNLS80mV.csv"
    write_csv(path, {"V1": cells(u, *used), "V2": cells(recursion(u, 0.5, 0.5), *used)})
    return path


def tanks_columns() -> Dict[str, np.ndarray]:
    t = np.arange(1024)
    u = 3 + np.sin(0.05 * t) + np.sin(0.021 * t * (1 + t / 1000))
    v = 3 + np.sin(0.043 * t) + np.sin(0.03 * t * (1 + t / 1000))
    return {"uEst": u, "uVal": v, "yEst": recursion(u, 0.9, 0.1), "yVal": recursion(v, 0.9, 0.1)}


def write_tanks(folder: pathlib.Path, rows: int = 1024, **changed: np.ndarray) -> pathlib.Path:
    """Four columns, and a sampling time in the first row only."""
    columns = {
        name: cells(values, slice(None))[:rows] for name, values in {**tanks_columns(), **changed}.items()
    }
    path = folder / "cascaded_tanks.csv"
    write_csv(path, {**columns, "Ts": ["4"] + [""] * (rows - 1)})
    return path


def write_tanks_mat(path: pathlib.Path, as_rows: bool) -> None:
    """The same values as a MAT file of version 5, a variable for each column."""

    def part(kind: int, data: bytes) -> bytes:
        return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)

    path.parent.mkdir(parents=True)
    content = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM"
    for name, column in tanks_columns().items():
        values = [float(text) for text in cells(column, slice(None))]
        shape = (1, len(values)) if as_rows else (len(values), 1)
        body = part(6, struct.pack("<II", 6, 0)) + part(5, struct.pack("<ii", *shape)) + part(1, name.encode())
        content += part(14, body + part(9, struct.pack(f"<{len(values)}d", *values)))
    path.write_bytes(content)


def write_waves(path: pathlib.Path, seed: int, channels: int = 2, labels: bool = True) -> None:
    """Eighteen series of three classes in a .ts file."""
    rng = np.random.default_rng(seed)
    lines = [
        "@problemName Waves",
        "@univariate false",
        f"@classLabel {'true slow fast flat' if labels else 'false'}",
        "@data",
    ]
    for i in range(18):
        name, rate = (("slow", 0.3), ("fast", 0.7), ("flat", 0.0))[i % 3]
        t = np.arange(rng.integers(16, 22)) + rng.uniform(0, 6)
        series = [np.sin(rate * t + k) + 0.3 * rng.normal(size=len(t)) for k in range(channels)]
        text = ":".join(",".join(f"{value:.6g}" for value in channel) for channel in series)
        lines.append(f"{text}:{name}" if labels else text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
