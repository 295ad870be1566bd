"""``python -m volterra.benchmarks uea`` on synthetic sets in the layout of the archive."""

from __future__ import annotations

import json

import benchmark_files as files
import numpy as np
import pytest
import volterra
from volterra.benchmarks.__main__ import main
from volterra.benchmarks._uea import class_names


@pytest.fixture
def sets(tmp_path):
    """A folder with the set Waves, and one without files."""
    files.write_waves(tmp_path / "Waves/Waves_TRAIN.ts", 1)
    files.write_waves(tmp_path / "Waves/Waves_TEST.ts", 77)
    (tmp_path / "Other").mkdir()
    return tmp_path


def run(capsys, *arguments):
    status = main(["uea", *map(str, arguments), "--json", "--quiet"])
    captured = capsys.readouterr()
    assert status == 0, captured.err
    return json.loads(captured.out)


def parts(folder):
    train, test = (
        volterra.datasets.read_series(folder / f"Waves/Waves_{part}.ts") for part in ("TRAIN", "TEST")
    )
    return train, test


def test_classify(sets, capsys):
    found = run(capsys, "--data", sets, "--draws", 4, "--seed", 2)
    assert found["benchmark"] == "uea" and len(found["rows"]) == 1
    row, (train, test) = found["rows"][0], parts(sets)
    model = volterra.SeriesClassifier(draws=4, random_state=2).fit(train.series, train.labels)
    assert row["value"] == model.score(test.series, test.labels)
    assert row["left_out_accuracy"] == model.left_out_accuracy_
    assert row["kernels"] == model.parts_ and row["tried"] == model.n_tried_
    assert (row["dataset"], row["measure"], row["unit"]) == ("Waves", "accuracy", "share")
    assert [row[key] for key in ("series", "tests", "channels", "classes")] == [18, 18, 2, 3]
    assert row["published"] == []


def test_published_results_by_dataset_name(sets, capsys):
    (sets / "Waves").rename(sets / "BasicMotions")
    for part in ("TRAIN", "TEST"):
        (sets / f"BasicMotions/Waves_{part}.ts").rename(sets / f"BasicMotions/BasicMotions_{part}.ts")
    found = run(capsys, "--data", sets, "--only", "BasicMotions", "--kernel", "gak:sigma=1", "--draws", 1)
    assert found["rows"][0]["published"] == [
        {"method": "1-NN DTW", "value": 0.975},
        {"method": "MiniRocket", "value": 1},
    ]


def test_classes_that_training_does_not_have_count_as_wrong(sets, capsys):
    path = sets / "Waves/Waves_TEST.ts"
    arguments = ("--data", sets, "--kernel", "gak:sigma=1", "--draws", 1)
    before = run(capsys, *arguments)["rows"][0]["value"]
    path.write_text(path.read_text().replace("flat", "bent"))
    after = run(capsys, *arguments)["rows"][0]["value"]
    assert after < before and after <= 12 / 18


def areas(scores, positive):
    """ROC and PR area by their definitions."""
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[positive] for b in scores[~positive]]
    precision = [positive[scores >= one].mean() for one in scores[positive]]
    return np.mean(precision), np.mean(pairs)


def test_anomaly(sets, capsys):
    found = run(capsys, "--data", sets, "--task", "anomaly", "--kernel", "gak", "--draws", 2, "--seed", 3)
    assert (
        found["task"] == "anomaly" and [row["measure"] for row in found["rows"]] == ["PR area", "ROC area"] * 2
    )
    train, test = parts(sets)
    for number, score in enumerate(("conformance", "mahalanobis")):
        wanted = []
        for name in ("slow", "fast", "flat"):
            model = volterra.SeriesAnomaly("gak", score=score, draws=2, random_state=3)
            model.fit(train.series, np.where(np.array(train.labels) == name, 1, -1))
            wanted.append(areas(model.score_samples(test.series), np.array(test.labels) == name))
        rows = found["rows"][2 * number : 2 * number + 2]
        assert [row["value"] for row in rows] == pytest.approx(np.mean(wanted, axis=0), abs=1e-12)
        assert {(row["dataset"], row["kernel"], row["score"], row["classes"]) for row in rows} == {
            ("Waves", "gak", score, 3)
        }


def test_text_reports(sets, capsys):
    assert main(["uea", "--data", str(sets), "--kernel", "gak:sigma=1", "--draws", "1", "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[0] == "Waves" and lines[1].split()[3:5] == ["-", "-"]
    assert lines[-1].count("compare=") == 1
    arguments = ["--task", "anomaly", "--kernel", "gak:sigma=1", "--draws", "1", "--quiet"]
    assert main(["uea", "--data", str(sets), *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[1].split()[:3] == ["Waves", "gak:sigma=1", "conformance"] and lines[2].split()[1] == "mahalanobis"
    )


def test_class_names_sort_as_numbers_where_all_are():
    assert class_names(["10", "9", "1.0", "9"]) == ["1.0", "9", "10"]
    assert class_names(["10", "9", "b", "a"]) == ["10", "9", "a", "b"]


@pytest.mark.parametrize(
    "arguments, status, word",
    [
        ([], 2, "--data"),
        (["--data", "{sets}", "--only", "Waves,None"], 2, "'None'"),
        (["--data", "{sets}", "--only", "../Waves"], 2, "--only"),
        (["--data", "{sets}/Other"], 1, "NAME_TRAIN.ts"),
        (["--data", "{sets}/nowhere"], 1, "nowhere"),
        (["--data", "{sets}", "--starts", "3"], 2, "--starts"),
        (["--data", "{sets}", "--task", "anomly"], 2, "anomly"),
        (["--data", "{sets}", "--task", "anomaly", "--budget", "3s"], 2, "--budget"),
        (["--data", "{sets}", "--task", "anomaly", "--kernel", "gakk"], 2, "gakk"),
    ],
)
def test_wrong_options(sets, arguments, status, word, capsys):
    assert main(["uea", *(text.format(sets=sets) for text in arguments)]) == status
    captured = capsys.readouterr()
    assert word in captured.err and captured.err.count("\n") == 1 and captured.out == ""


def test_wrong_files(sets, capsys):
    files.write_waves(sets / "Waves/Waves_TEST.ts", 1, channels=3)
    assert main(["uea", "--data", str(sets)]) == 1
    assert "2 channels" in capsys.readouterr().err
    files.write_waves(sets / "Waves/Waves_TEST.ts", 1, labels=False)
    assert main(["uea", "--data", str(sets)]) == 1
    assert "Waves_TEST.ts has no class labels" in capsys.readouterr().err
