"""State files of streams, written and read by the package and the program."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import volterra
from volterra import SequenceKernelRidge, Stream, VolterraRidge

KERNELS = ["volterra", "memory", "rbf:window=5", "gak:window=4", "linear"]


def push(stream, rows):
    return [stream.feed(row) for row in rows]


@pytest.mark.parametrize("kernel", KERNELS)
def test_loaded_stream_continues_bitwise(system, kernel, tmp_path):
    X, y = system
    model = SequenceKernelRidge(kernel, alpha=1e-3).fit(X[:200], y[:200])
    stream = model.stream()
    push(stream, X[200:230])
    stream.save(tmp_path / "state")
    expected = push(stream, X[230:260])
    again = Stream.load(tmp_path / "state", model)
    assert type(again) is Stream
    assert push(again, X[230:260]) == expected
    # The model may have been pickled or saved meanwhile.
    volterra.save(model, tmp_path / "model.safetensors")
    for other in (pickle.loads(pickle.dumps(model)), volterra.load(tmp_path / "model.safetensors")):
        loaded = Stream.load(tmp_path / "state", other)
        assert np.ravel(push(loaded, X[230:260])).tolist() == expected


def test_state_files_of_other_models(system, tmp_path):
    X, y = system
    model = VolterraRidge(alpha=1e-3).fit(X[:200], y[:200])
    other = VolterraRidge(alpha=1e-2).fit(X[:200], y[:200])
    path = tmp_path / "state"
    with pytest.raises(FileNotFoundError, match="state"):
        Stream.load(path, model)
    model.stream().save(path)
    with pytest.raises(ValueError, match="model"):
        Stream.load(path, other)
    volterra.save(model, path)
    with pytest.raises(ValueError, match="state.*volterra.*model"):
        Stream.load(path, model)
    with pytest.raises(OSError, match="nowhere"):
        model.stream().save(tmp_path / "nowhere" / "state")


def test_program_and_python_share_states(system, tmp_path, program):
    X, y = system
    model = VolterraRidge(alpha=1e-3).fit(X[:200], y[:200])
    volterra.save(model, tmp_path / "model.safetensors")
    stream = model.stream()
    push(stream, X[200:210])
    stream.save(tmp_path / "state")
    rows = "".join(",".join(repr(float(number)) for number in row) + "\n" for row in X[210:220])
    answers = program("stream", tmp_path / "model.safetensors", "--state", tmp_path / "state", input=rows)
    assert [float(line) for line in answers.split()] == push(stream, X[210:220])
    assert Stream.load(tmp_path / "state", model).feed(X[220]) == stream.feed(X[220])


def test_locked_state_has_one_owner(system, tmp_path):
    X, y = system
    model = VolterraRidge(alpha=1e-3).fit(X[:200], y[:200])
    path, stream = tmp_path / "state", model.stream()
    with pytest.raises(FileNotFoundError):
        Stream.load(path, model, lock=True)  # which leaves no lock behind
    stream.save(path)
    owner = Stream.load(path, model, lock=True)
    push(owner, X[200:210])
    owner.save(path)
    kept = path.read_bytes()
    with pytest.raises(OSError, match="in use"):
        stream.save(path)
    with pytest.raises(OSError, match="in use"):
        Stream.load(path, model, lock=True)
    assert path.read_bytes() == kept
    assert push(Stream.load(path, model), X[210:220]) == push(owner, X[210:220])  # reading is free
    del owner
    stream.save(path)

    learner = model.learner()
    learner.save(path)
    owner = volterra.Learner.load(path, model, lock=True)
    with pytest.raises(OSError, match="in use"):
        learner.save(path)
    owner.save(path)
    del owner
    assert [file.name for file in tmp_path.iterdir()] == ["state"]
