"""``python -m volterra.benchmarks sysid`` on synthetic data in the layouts of the published files."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import benchmark_files as files
import numpy as np
import pytest
import volterra
from volterra.benchmarks import _sysid
from volterra.benchmarks.__main__ import main
from volterra.benchmarks._sysid_report import largest_error
from volterra.benchmarks._sysid_report import METHODS
from volterra.benchmarks._sysid_run import PRESETS, SETS


@pytest.fixture
def tanks(tmp_path, monkeypatch):
    """A folder ``sysid`` with Cascaded Tanks, inside the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sysid").mkdir()
    files.write_tanks(tmp_path / "sysid")
    return tmp_path


@pytest.fixture
def no_plots(monkeypatch):
    """Matplotlib is not installed."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.fixture
def run(capsys):
    """Run a benchmark that succeeds; its JSON."""

    def call(*arguments):
        capsys.readouterr()
        status = main([*map(str, arguments), "--json", "--quiet"])
        captured = capsys.readouterr()
        assert status == 0 and captured.err == "", captured.err
        return json.loads(captured.out)

    return call


@pytest.fixture
def fails(capsys):
    """Run a benchmark that fails: its status, and one line on standard error."""

    def call(*arguments):
        status = main(list(map(str, arguments)))
        captured = capsys.readouterr()
        assert captured.out == "" and captured.err.count("\n") == 1, captured
        return status, captured.err

    return call


def read(path):
    return np.loadtxt(path, delimiter=",", skiprows=1)


def rmse(table, first, end=None):
    return np.sqrt(np.mean((table[first:end, 2] - table[first:end, 1]) ** 2))


def check_row(row, dataset, after, value):
    assert (row["dataset"], row["measure"]) == (dataset, f"rmse after {after} rows")
    assert row["value"] == pytest.approx(value, rel=1e-9)


def run_by_hand(setting, program):
    """RMSEs of the commands of the program that the report lists."""
    scores = []
    for line in setting["commands"]:
        words = shlex.split(line)[1:]
        out = program(*words, *(["--json"] if words[0] == "score" else []))
        scores += [json.loads(out)["rmse"]] if words[0] == "score" else []
    return scores


# ---- data files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", PRESETS.values(), ids=PRESETS)
def test_presets_use_training_part(setting):
    first, end = SETS[setting.set].train.rows or (0, 1024)
    assert first <= setting.first and setting.first + setting.washout + setting.rows <= end
    assert volterra.kernel_text(setting.kernel) and setting.alpha > 0 and setting.origin


def test_published_columns_are_measured():
    keys = {m.published for one in SETS.values() for test in one.tests for m in test.measures} - {None}
    assert keys == {key for method in METHODS for key in method} - {"method"}


# ---- runs --------------------------------------------------------------------------------------------------


def test_tanks(tanks, run, program, no_plots):
    found = run("sysid", "--data", "sysid", "--only", "tanks", "--rows", 300, "-o", "t")
    table = read("t-tanks-validation.csv")
    assert open("t-tanks-validation.csv").readline() == "input,measured,simulated,error\n"
    measured = np.array(
        [
            [float(c) for c in line.split(",")[1:4:2]]
            for line in open("sysid/cascaded_tanks.csv").readlines()[1:]
        ]
    )
    np.testing.assert_array_equal(table[:, :2], measured)
    check_row(found["rows"][0], "Cascaded Tanks", 5, rmse(table, 5))
    check_row(found["rows"][1], "Cascaded Tanks", 50, rmse(table, 50))
    assert [row["unit"] for row in found["rows"]] == ["V", "V"]
    assert {"method": "GRU", "value": 0.396} in found["rows"][0]["published"] and "goal" not in found["rows"][0]
    assert len(found["rows"][0]["published"]) == 16 and found["rows"][1]["published"] == []
    assert "2405.10779" in found["published_source"]
    setting = found["settings"][0]
    assert (setting["preset"], setting["n"], setting["file"]) == ("tanks-1", 300, "sysid/cascaded_tanks.csv")
    assert run_by_hand(setting, program) == pytest.approx([row["value"] for row in found["rows"]], rel=1e-9)


def test_simulation_uses_no_measured_outputs(tanks, run, no_plots):
    arguments = ("sysid", "--data", "sysid", "--preset", "tanks-1", "--rows", 200, "-o", "t")
    run(*arguments)
    before = read("t-tanks-validation.csv")
    files.write_tanks(tanks / "sysid", yVal=np.full(1024, 7.0))
    run(*arguments)
    np.testing.assert_array_equal(read("t-tanks-validation.csv")[:, 2], before[:, 2])


@pytest.mark.parametrize("as_rows", [True, False])
def test_mat_files_give_the_figures_of_the_csv(tanks, run, as_rows):
    files.write_tanks_mat(tanks / "mat/CascadedTanksFiles/dataBenchmark.mat", as_rows)
    values = [
        [row["value"] for row in run("sysid", "--data", folder, "--only", "tanks", "--rows", 100)["rows"]]
        for folder in ("sysid", "mat")
    ]
    assert values[0] == values[1]


def test_wiener_hammerstein(tmp_path, run, no_plots):
    path = files.write_wiener_hammerstein(tmp_path)
    found = run("sysid", "--data", tmp_path, "--only", "wh", "--rows", 40, "-o", tmp_path / "t")
    table = read(tmp_path / "t-wh-test.csv")
    assert len(table) == 78800
    first = path.read_text().splitlines()[1 + 105200].split(",")[:2]
    np.testing.assert_array_equal(table[0, :2], [float(text) for text in first])
    check_row(found["rows"][0], "Wiener-Hammerstein", 50, 1000 * rmse(table, 50))
    assert len(found["rows"]) == 1 and found["rows"][0]["unit"] == "mV"
    assert {"method": "LSTM", "value": 4.45} in found["rows"][0]["published"]


def test_silverbox(tmp_path, run, no_plots):
    path = files.write_silverbox(tmp_path)
    found = run("sysid", "--data", tmp_path, "--only", "silverbox", "--rows", 40, "-o", tmp_path / "t")
    multisine, arrow = (read(tmp_path / f"t-silverbox-{name}.csv") for name in ("multisine", "arrow"))
    assert (len(multisine), len(arrow)) == (21688, 40475)
    lines = path.read_text().splitlines()[1:]
    for table, first in ((multisine, 105712), (arrow, 100)):
        np.testing.assert_array_equal(table[0, :2], [float(text) for text in lines[first].split(",")[:2]])
    check_row(found["rows"][0], "Silverbox multisine", 50, 1000 * rmse(multisine, 50))
    check_row(found["rows"][1], "Silverbox arrow", 50, 1000 * rmse(arrow, 50))
    check_row(found["rows"][2], "Silverbox arrow, no extrapolation", 50, 1000 * rmse(arrow, 50, 32000))
    assert found["settings"][0]["feedback_weight"] > 0 and found["settings"][0]["warm_up"] == 50
    cold = run("sysid", "--data", tmp_path, "--only", "silverbox", "--rows", 40, "--warm-up", 0)
    assert cold["settings"][0]["warm_up"] == 0 and "--known" not in " ".join(cold["settings"][0]["commands"])
    assert cold["rows"][0]["value"] != found["rows"][0]["value"]


def test_again_identifies_on_training_rows(tanks, run, program, capsys):
    arguments = "sysid --data sysid --only tanks --again --draws 3 --seed 1 --rows 100".split()
    found = run(*arguments)
    first = found["settings"][0]
    assert "preset" not in first and first["draws"] >= 6 * 3 and first["family"]
    assert first["first_row"] >= 0 and first["first_row"] + first["washout"] + first["n"] <= 100
    assert [row["goal"] for row in found["rows"]] == [0.33, 0.33]
    assert run_by_hand(first, program) == pytest.approx([row["value"] for row in found["rows"]], rel=1e-6)
    columns = files.tanks_columns()
    files.write_tanks(tanks / "sysid", uVal=columns["uEst"], yVal=columns["yEst"])
    second = run(*arguments)["settings"][0]
    assert (second["kernel"], second["alpha"]) == (first["kernel"], first["alpha"])
    assert main([*arguments, "--quiet"]) == 0
    assert any(line.split() == ["goal", "0.33", "0.33"] for line in capsys.readouterr().out.splitlines())


def test_again_of_silverbox_simulates_all_tests(tmp_path, run):
    files.write_silverbox(tmp_path)
    found = run("sysid", "--data", tmp_path, "--only", "silverbox", "--again", "--draws", 1, "--rows", 200)
    assert [row.get("goal") for row in found["rows"]] == [0.25, 0.35, None]
    assert all(np.isfinite(row["value"]) for row in found["rows"])
    assert found["settings"][0]["first_row"] >= 40650


# ---- reports -----------------------------------------------------------------------------------------------


def test_text_report(tanks, capsys):
    assert main(["sysid", "--data", "sysid", "--only", "tanks", "--rows", "100", "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if line.startswith("volterra ") and "--" not in line)
    assert len(row.split()) == 3 and all(0 < float(cell) < 3 for cell in row.split()[1:])
    assert any(line.split() == ["GRU", "0.396", "-"] for line in lines)
    assert sum(line.startswith("volterra score --truth sysid/cascaded_tanks.csv:yVal") for line in lines) == 2


def test_page_with_plots(tanks, run):
    pytest.importorskip("matplotlib")
    run("sysid", "--data", "sysid", "--only", "tanks", "--rows", 100, "-o", "t")
    page = (tanks / "t.html").read_text()
    assert "GRU" in page and page.count("<img") == 1 and page.count("<figure>") == 1
    assert (tanks / "t-tanks-validation.svg").read_text().count("<svg") == 1


def test_without_matplotlib(tanks, capsys, no_plots):
    assert main(["sysid", "--data", "sysid", "--only", "tanks", "--rows", "100", "--json", "-o", "t"]) == 0
    assert "Matplotlib is not installed" in capsys.readouterr().err
    assert "<img" not in (tanks / "t.html").read_text()
    assert not (tanks / "t-tanks-validation.svg").exists() and (tanks / "t-tanks-validation.csv").exists()


def test_stretch_of_the_largest_error():
    table = np.zeros((1000, 4))
    table[3, 3], table[700, 3] = 9, -5  # row 3 is not scored
    assert largest_error(table, 50) == slice(575, 825)
    table[990, 3] = 6
    assert largest_error(table, 50) == slice(750, 1000)
    assert largest_error(table[:100], 50) == slice(0, 100)


# ---- failures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, word",
    [
        ("", "NAME"),
        ("sysyd --data .", "sysyd"),
        ("sysid", "--data"),
        ("sysid --data . --starts 3", "--starts"),
        ("sysid --data . --only wh,tank", "'tank'"),
        ("sysid --data . --only wh,", "''"),
        ("sysid --data . --preset silver", "'silver'"),
        ("sysid --data . --only wh --preset wh-1", "--preset"),
        ("sysid --data . --again --preset wh-1", "--preset"),
        ("sysid --data . --budget 5s", "--again"),
        ("sysid --data . --draws 5", "--again"),
        ("sysid --data . --again --budget soon", "--budget"),
        ("sysid --data . --rows 1", "--rows"),
        ("sysid --data . --rows 2.5", "2.5"),
        ("sysid --data . --warm-up 51", "50"),
        ("sysid --data . --threads 0", "--threads"),
    ],
)
def test_wrong_options(arguments, word, fails):
    status, message = fails(*arguments.split())
    assert status == 2 and word in message


def test_wrong_data(tanks, fails):
    folder, arguments = tanks / "sysid", ("sysid", "--data", "sysid", "--only", "tanks", "--quiet")
    status, message = fails("sysid", "--data", "nowhere")
    assert status == 1 and "nowhere" in message and "wiener_hammerstein.csv" in message
    status, message = fails("sysid", "--data", "sysid", "--only", "wh,tanks")
    assert status == 1 and "Wiener-Hammerstein" in message
    status, message = fails(*arguments, "-o", "none/t")
    assert status == 1 and "none/t.html" in message
    path = files.write_tanks(folder, rows=999)
    status, message = fails(*arguments)
    assert status == 1 and "999" in message and "1024" in message and "cascaded_tanks.csv" in message
    files.write_tanks(folder, yEst=np.full(1024, 7.0))
    status, message = fails(*arguments, "--again", "--draws", "1")
    assert status == 1 and "Cascaded Tanks" in message and "constant" in message
    files.write_tanks(folder)
    path.write_text(path.read_text().replace("yVal", "zVal"))
    status, message = fails(*arguments)
    assert status == 1 and "yVal" in message
    files.write_tanks(folder)
    lines = path.read_text().splitlines()
    lines[6] = "x" + lines[6][lines[6].index(",") :]
    path.write_text("\n".join(lines) + "\n")
    status, message = fails(*arguments, "-o", "t")
    assert status == 1 and "line 7" in message and not (tanks / "t.html").exists()


def test_interrupt(tanks, fails, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_sysid, "fit_and_simulate", interrupt)
    assert fails("sysid", "--data", "sysid", "--only", "tanks")[0] == 130


def test_help(capsys):
    assert main(["--help"]) == 0 and "uea" in capsys.readouterr().out
    assert main(["sysid", "--help"]) == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("--warm-up", "--again", "--output", "wh-1", "silverbox-2"))


def test_module_is_a_command(tanks):
    words = "-m volterra.benchmarks sysid --data sysid --only tanks --rows 50 --threads 1 --json".split()
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all("warning:" in line for line in done.stderr.splitlines()), done.stderr  # 50 rows may be too few
    assert json.loads(done.stdout)["benchmark"] == "sysid"
