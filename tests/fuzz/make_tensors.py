"""tests/fuzz/make_tensors.py: the seeds in the format safetensors: fuzz_safetensors, fuzz_pcg_checkpoint, fuzz_stream_state,
fuzz_model and fuzz_learner_state.

    python3 tests/fuzz/make_tensors.py build/volterra

adds or replaces them in the archives of corpus/. Models and states of learners are made by the program. Variants have one
metadatum, number or tensor changed. The targets correct checksums and digests, so the seeds have zeros or those of the unchanged file.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import corpus

# ---- the format ------------------------------------------------------------------------------------


def join(header, data):
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def split(content):
    length = struct.unpack("<Q", content[:8])[0]
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def tensor_file(metadata, tensors):
    """A file of tensors, which are lists of numbers or of rows, or None for none of that name."""
    header, data = {"__metadata__": metadata}, b""
    for name, numbers in tensors.items():
        if numbers is None:
            continue
        rows = numbers if numbers and isinstance(numbers[0], list) else None
        shape = [len(rows), len(rows[0])] if rows else [len(numbers)]
        flat = [number for row in rows for number in row] if rows else numbers
        end = len(data) + 8 * len(flat)
        header[name] = {"dtype": "F64", "shape": shape, "data_offsets": [len(data), end]}
        data += struct.pack(f"<{len(flat)}d", *flat)
    return join(header, data)


def with_metadata(content, key, value):
    header, data = split(content)
    header["__metadata__"][key] = value
    return join(header, data)


def with_number(content, tensor, at, value):
    """Number `at` of a tensor changed; -1 is its last one."""
    header, data = split(content)
    begin = header[tensor]["data_offsets"][at < 0] + 8 * at
    return join(header, data[:begin] + struct.pack("<d", value) + data[begin + 8 :])


def without(content, tensor):
    header, data = split(content)
    del header[tensor]
    return join(header, data)


def run(program, *words, **options):
    subprocess.run([program, *words], check=True, stdout=subprocess.DEVNULL, **options)


# ---- safetensors -----------------------------------------------------------------------------------


def checked(content):
    return content.replace(b'"00000000"', b'"%08x"' % zlib.crc32(content), 1)


def safetensors():
    notes = {"checksum": "00000000", "format": "test"}
    data = struct.pack("<8d", *range(8))

    def tensor(shape, begin, end, dtype="F64"):
        return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}

    headers = {
        "good": {"__metadata__": notes, "a": tensor([2], 0, 16), "b": tensor([2, 3], 16, 64)},
        "reversed": {"__metadata__": notes, "b": tensor([2, 3], 16, 64), "a": tensor([2], 0, 16)},
        "no-tensors": {"__metadata__": notes},
        "gap": {"__metadata__": notes, "a": tensor([2], 0, 16), "b": tensor([2], 48, 64)},
        "overlap": {"__metadata__": notes, "a": tensor([5], 0, 40), "b": tensor([5], 24, 64)},
        "beyond": {"__metadata__": notes, "a": tensor([800], 0, 6400)},
        "negative": {"__metadata__": notes, "a": tensor([-8], 0, 64)},
        "overflow": {"__metadata__": notes, "a": tensor([2**61, 8], 0, 64)},
        "backwards": {"__metadata__": notes, "a": tensor([8], 64, 0)},
        "huge-offsets": {"__metadata__": notes, "a": tensor([2**60 - 1], 8, 2**63 - 8)},
        "float32": {"__metadata__": notes, "a": tensor([16], 0, 64, "F32")},
        "cube": {"__metadata__": notes, "a": tensor([2, 2, 2], 0, 64)},
        "scalar": {"__metadata__": notes, "a": tensor([], 0, 8)},
        "no-columns": {"__metadata__": notes, "a": tensor([8, 0], 0, 64)},
        "no-shape": {"__metadata__": notes, "a": {"dtype": "F64", "data_offsets": [0, 64]}},
        "number-for-tensor": {"__metadata__": notes, "a": 3},
        "number-in-metadata": {"__metadata__": dict(notes, n=3), "a": tensor([8], 0, 64)},
        "real-shape": {"__metadata__": notes, "a": tensor([8.0], 0, 64)},
        "foreign": {"a": tensor([8], 0, 64)},
        "array": [1, 2, 3],
        "name-twice": b'{"__metadata__":{"checksum":"00000000"},"a":{"dtype":"F64","shape":[8],"data_offsets":[0,64]},"a":1}',
        "not-json": b"hello, this is not JSON",
        "deep": b"[" * 3000,
    }
    seeds = {name: checked(join(header, data)) for name, header in headers.items()}
    return {
        **seeds,
        "wrong-checksum": join(headers["good"], data),
        "huge-length": b"\xff" * 8 + b"{}",
        "empty": b"",
        **corpus.truncated("good", seeds["good"], 8),
    }


# ---- checkpoints of conjugate gradients ------------------------------------------------------------

CHECKPOINT_ROWS, CHECKPOINT_COLUMNS = 12, 2  # of the target
CHECKPOINT = {
    "checksum": "00000000",
    "format": "volterra-pcg",
    "version": "1",
    "library": "0.1.0",
    "kernel": "volterra:tau_coef=0.3,lambda_coef=0.5",
    "fit": "0" * 16,
    "steps": "2",
    "restarts": "0",
}


def vectors(scale):
    return [[scale * ((5 * t + 3 * k) % 7 - 3) for k in range(CHECKPOINT_COLUMNS)] for t in range(CHECKPOINT_ROWS)]


def checkpoints():
    # VOLT_PCG_NUMBERS: alpha, r'z, |y|, |r| / |y|, the same as last found, five moves
    numbers = [[0.05, 2.0, 3.5, 0.5, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0]] * CHECKPOINT_COLUMNS
    tensors = {"x": vectors(0.5), "r": vectors(0.125), "p": vectors(0.25), "numbers": numbers}

    def checkpoint(metadata=None, **changes):
        return tensor_file({**CHECKPOINT, **(metadata or {})}, {**tensors, **changes})

    def with_each(which, value):
        return checkpoint(numbers=[[*row[:which], value, *row[which + 1 :]] for row in numbers])

    return {
        "plain": checkpoint(),
        "first": checkpoint({"steps": "0"}),
        "late": checkpoint({"steps": "39"}),
        "past": checkpoint({"steps": "41"}),
        "steps-huge": checkpoint({"steps": "8999999999999999"}),
        "steps-minus": checkpoint({"steps": "-1"}),
        "restarts-huge": checkpoint({"restarts": "8999999999999999"}),
        "version": checkpoint({"version": "2"}),
        "format": checkpoint({"format": "volterra-stream"}),
        "no-kernel": checkpoint({"kernel": ""}),
        "no-p": checkpoint(p=None),
        "short": checkpoint(r=tensors["r"][:-1]),
        "wide": checkpoint(x=[[*row, 0.0] for row in tensors["x"]]),
        "zero-direction": checkpoint(p=vectors(0.0)),
        "zero-residual": checkpoint(r=vectors(0.0)),
        "huge-solution": checkpoint(x=vectors(1e307)),
        "huge-residual": checkpoint(r=vectors(1e200)),
        "huge-direction": checkpoint(p=vectors(1e200)),
        "tiny-direction": checkpoint(p=vectors(1e-200)),
        "nan": checkpoint(x=[[float("nan")] * CHECKPOINT_COLUMNS] * CHECKPOINT_ROWS),
        "other-alpha": with_each(0, 0.5),
        "rz-zero": with_each(1, 0.0),
        "rz-minus": with_each(1, -1.0),
        "rz-huge": with_each(1, 1e308),
        "size-zero": with_each(2, 0.0),
        "size-minus": with_each(2, -1.0),
        "done": with_each(3, 0.0),
        "true-small": with_each(4, 0.0),
        "moved-zero": with_each(5, 0.0),
        "moved-minus": with_each(9, -1.0),
        "settled": checkpoint({"steps": "9"}, numbers=[row[:5] + [0.0] * 5 for row in numbers]),
    }


# ---- states of streams -----------------------------------------------------------------------------

STREAM_TRAINED, STREAM_SEASON = 12, 3  # of the target
STREAM = {
    "checksum": "00000000",
    "format": "volterra-stream",
    "version": "1",
    "library": "0.1.0",
    "kernel": "volterra:tau_coef=0.3,lambda_coef=0.9",
    "model": "0" * 16,
    "rows": "4",
    "beyond": "1",
    "begun": "yes",
}


def stream_states():
    tensors = {"state": [1 + k / 8 for k in range(STREAM_TRAINED + 1)], "last": [0.5], "recent": [0.25, 0.75, 0.5]}

    def state(metadata=None, **changes):
        return tensor_file({**STREAM, **(metadata or {})}, {**tensors, **changes})

    seeds = {
        "plain": state(),
        "first": state({"rows": "0", "begun": "no"}, last=[], recent=[]),
        "continued": state({"rows": "0"}, last=[]),
        "no-recent": state(recent=[]),
        "no-last": state(last=None),
        "not-begun": state({"begun": "no"}),
        "maybe": state({"begun": "maybe"}),
        "rows-huge": state({"rows": "8999999999999999"}),
        "rows-negative": state({"rows": "-1"}),
        "rows-half": state({"rows": "0.5"}),
        "version": state({"version": "2"}),
        "format": state({"format": "volterra-model"}),
        "no-kernel": state({"kernel": ""}),
        "state-short": state(state=tensors["state"][:-1]),
        "state-long": state(state=[*tensors["state"], 1.0]),
        "recent-long": state(recent=[0.5] * (STREAM_SEASON + 1)),
    }
    for name, value in {"nan": float("nan"), "infinite": float("inf"), "huge": 1e308, "zero": 0.0}.items():
        for tensor, numbers in tensors.items():
            seeds[f"{tensor}-{name}"] = state(**{tensor: [value, *numbers[1:]]})
    return seeds


# ---- learners --------------------------------------------------------------------------------------

LEARNER_TRAINED = 6  # of fuzz_learner.h, as are the kernels and how far ahead their targets are
LEARNERS = {
    "scan": ("volterra:tau_coef=0.3,lambda_coef=0.5,pole=0.5", 0),
    "window": ("rbf:window=2", 0),
    "sum": ("esn:size=2*linear + memory", 0),
    "late": ("volterra:tau_coef=0.3,lambda_coef=0.5", 3),
}
LEARNED = "0.5,1\n0.25,\n0.75,2\n0.1,0.5\n"


def learned(program, kernel, ahead, folder, *options):
    """The state of a learner of the rows LEARNED."""
    x, y, model, state = (folder / name for name in ("x.csv", "y.csv", "model", "state"))
    x.write_text("".join(f"{7 * t % 5 / 4}\n" for t in range(LEARNER_TRAINED + ahead)))
    y.write_text("".join(f"{3 * t % 4}\n" for t in range(LEARNER_TRAINED + ahead)))
    run(program, *("fit", "--x", x, "--y", y, "--kernel", kernel, "--ahead", str(ahead), "--alpha", "0.5"), "-o", model, "--quiet")
    state.unlink(missing_ok=True)
    run(program, "stream", model, "--learn", "--quiet", *options, "--state", state, input=LEARNED, text=True)
    return state.read_bytes()


def state_variants(content):
    header, data = split(content)
    metadata = {**header.pop("__metadata__"), "checksum": "00000000"}
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = list(struct.unpack(f"<{(end - begin) // 8}d", data[begin:end]))

    def state(name=None, numbers=None, **changes):
        return tensor_file({**metadata, **changes}, {**tensors, name: numbers} if name else tensors)

    yield "plain", state()
    for key, value in {"window": "2", "forget": "0", "pending": "yes", "begun": "no", "rows": "0", "version": "9"}.items():
        yield f"{key}-{value}", state(**{key: value})
    for name, numbers in tensors.items():
        yield f"{name}-short", state(name, numbers[:-1])
        yield f"{name}-long", state(name, [*numbers, 1.0])
        yield f"{name}-absent", state(name, None)
        for what, value in {"huge": 1e308, "zero": 0.0, "negative": -1.0, "nan": float("nan")}.items():
            yield f"{name}-{what}", state(name, [value, *numbers[1:]])
    moving = tensors["moving"]
    for place in range(min(8, len(moving))):
        yield f"moving-{place}", state("moving", [*moving[:place], 3.0, *moving[place + 1 :]])


def learners(program, folder):
    """States of all learners."""
    states = {}
    for kernel, (text, ahead) in LEARNERS.items():
        more = ("--targets", "now", "--interval", "0.5") if ahead else ()
        content = learned(program, text, ahead, folder, "--window", "5", *more)
        own = ("late", "pending", "scores", "coverages") if kernel == "late" else "moving"
        for name, variant in state_variants(content):
            if kernel == "scan" or name == "plain" or name.startswith(own):
                states[f"{kernel}-{name}"] = variant
    content = learned(program, *LEARNERS["scan"], folder)  # keeps all rows, which the state then has
    states.update((f"all-{name}", variant) for name, variant in state_variants(content) if name.startswith(("history", "plain")))
    return states


# ---- models ----------------------------------------------------------------------------------------

ROWS = "u,v,y\n" + "".join(f"{(7 * t % 5) / 4},{(3 * t % 7) / 8},{(5 * t % 11) / 16}\n" for t in range(8))
LABELLED = "".join(
    f"{line},{label}\n"
    for line, label in zip(ROWS.splitlines(), ["label,part"] + [f"{'yes' if t % 3 else 'no'},{t // 4}" for t in range(8)])
)
KERNELS = {
    "volterra": "volterra:tau_coef=0.3,lambda_coef=0.9",
    "volterra-even": "volterra:lift=even",
    "volterra-rbf": "volterra:lift=rbf,gamma=0.5,lambda=0.5",
    "linear": "linear",
    "rbf-window": "rbf:gamma=0.5,window=3",
    "poly": "poly:degree=2",
    "sigmoid": "sigmoid:gamma=0.01",
    "cauchy": "cauchy:gamma=2",
    "fading": "fading:gamma=0.5,rho=0.5",
    "memory": "memory:gamma=0.5,rho=0.5,mu=0.5",
    "recurrent": "recurrent:radius=0.5,leak=0.5",
    "gak": "gak:sigma=1,window=3",
    "esn": "esn:size=3",
    "sas": "sas:size=2,degree=2",
    "sig": "sig:level=2,path=rows",
    "sig-window": "sig:level=2,window=3,augment=time",
    "sigpde": "sigpde:dyadic=1,window=3",
}
#: Fits whose files have parts of their own: errors and a factor, fed-back outputs, losses, classes, records, a choice,
#: inputs before the first row, weights of inputs.
PARTS = {
    "kept": ("--kernel", "rbf:gamma=0.5", "--alpha", "0.5", "--keep-factor"),
    "fed": ("--kernel", "fading", "--alpha", "0.5", "--feedback"),
    "quantiles": ("--kernel", "rbf:gamma=0.5", "--alpha", "0.5", "--loss", "quantile:q=0.1/0.9"),
    "classes": ("--kernel", "rbf:gamma=0.5", "--alpha", "0.5", "--loss", "logistic"),
    "records": ("--kernel", "memory", "--alpha", "0.5", "--series", "{table}:part"),
    "landmarks": (
        *("--kernel", "memory", "--alpha", "0.5", "--solver", "nystrom", "--landmarks", "3:random"),
        *("--series", "{table}:part"),
    ),
    "chosen": ("--kernel", "rbf:gamma=0.5", "--keep-factor"),
    "initial-first": ("--kernel", "memory", "--alpha", "0.5", "--initial", "first"),
    "initial-values": ("--kernel", "memory", "--alpha", "0.5", "--initial", "0.5,0.25"),
    "scale-each": ("--kernel", "fading", "--alpha", "0.5", "--scale-each"),
}
#: Sums of models, and of sums.
SUMS = {
    "sum": ("volterra", "fed", "--weights", "0.25,-2"),
    "sum-residual": ("linear", "fed", "--kind", "residual"),
    "sum-nested": ("sum", "sum-residual"),
}
#: Changed metadata: file, key, value.
CHANGED_METADATA = {
    "other-kernel": ("volterra", "kernel", "gak:sigma=1,window=3"),
    "long-window": ("volterra", "kernel", "gak:sigma=1,window=30000"),
    "long-sum": ("volterra", "kernel", "rbf:gamma=1,window=1000000000"),
    "deep": ("volterra", "kernel", "sig:level=12,path=rows"),
    "no-kernel": ("volterra", "kernel", "gausian"),
    "radius-zero": ("volterra", "radius", "0"),
    "radius-huge": ("volterra", "radius", "1e308"),
    "alpha-negative": ("volterra", "alpha", "-1"),
    "washout": ("volterra", "washout", "9"),
    "washout-all": ("volterra", "washout", "8"),
    "ahead": ("volterra", "ahead", "1e15"),
    "flag": ("volterra", "intercept", "maybe"),
    "feedback": ("volterra", "feedback", "yes"),
    "version": ("volterra", "version", "2"),
    "names": ("volterra", "input_names", '["a"]'),
    "names-number": ("volterra", "output_names", "[3]"),
    "names-json": ("volterra", "input_names", "[" * 100),
    "series-level": ("series", "input", "level"),
    "sum-kind": ("sum", "sum", "mean"),
    "sum-version": ("sum", "version", "6"),
    "sum-member-version": ("sum", "member1.version", "7"),
    "sum-ahead": ("sum", "member1.ahead", "3"),
    "sum-names": ("sum", "member2.input_names", '["u","w"]'),
    # fields that contradict others
    "esn-size": ("esn", "kernel", "esn:size=10000"),
    "esn-default-size": ("esn", "kernel", "esn"),
    "esn-count": ("esn", "reservoirs", "2"),
    "esn-other-kind": ("esn", "kernel", "sas:size=3"),
    "rbf-window-reservoirs": ("rbf-window", "reservoirs", "1"),
    "fed-no-last-target": ("fed", "no_last_target", "yes"),
    "kept-other-alpha": ("kept", "alpha", "0.25"),
    "series-other-alpha": ("series", "alpha", "0.25"),
    "series-horizons": ("series", "horizons", "1..24"),
    "initial-word": ("initial-values", "initial", "last"),
    "initial-other-word": ("initial-values", "initial", "first"),
    "initial-no-values": ("initial-first", "initial", "values"),
    "scale-each-more": ("scale-each", "weighted_inputs", "3"),
    "scale-each-minus": ("scale-each", "weighted_inputs", "-1"),
    "scale-each-text": ("scale-each", "weighted_inputs", "both"),
}
#: Changed numbers: file, tensor, place, value.
CHANGED_NUMBERS = {
    "series-lag": ("series", "columns", 1, 1e6),
    "series-anchor": ("series", "anchors", 0, 7.0),
    "landmarks-more-landmarks": ("landmarks", "landmarks", 0, 1e9),
    "landmarks-no-rows": ("landmarks", "landmarks", 1, 0.0),
    "landmarks-half-a-row": ("landmarks", "landmarks", 1, 2.5),
    "landmarks-nan-rows": ("landmarks", "landmarks", 1, float("nan")),
    "landmarks-late-washout": ("landmarks", "landmarks", 2, 8.0),
    "landmarks-few-rows": ("landmarks", "landmarks", 2, 6.0),
    "landmarks-long-record": ("landmarks", "landmarks", 3, 1e9),
    "landmarks-short-records": ("landmarks", "landmarks", 3, 3.0),
    "landmarks-minus-record": ("landmarks", "landmarks", 4, -1.0),
    "sum-weight-nan": ("sum", "weights", 0, float("nan")),
    "sum-weight-huge": ("sum", "weights", 0, 1e308),
    "sum-weight-zero": ("sum", "weights", 0, 0.0),
    "classes-anchor": ("classes", "anchors", 0, 0.0),
    "initial-input-nan": ("initial-values", "initial_input", 0, float("nan")),
    "initial-input-huge": ("initial-values", "initial_input", 1, 1e308),
    "initial-values-nan": ("initial-values", "initial_values", 0, float("nan")),
    "scale-each-nan": ("scale-each", "columns", 11, float("nan")),
    "scale-each-zero": ("scale-each", "columns", 5, 0.0),
}
EXTREMES = {"nan": float("nan"), "infinite": float("inf"), "huge": 1e308, "tiny": 5e-324, "zero": 0.0, "minus": -1.0}


def models(program, folder):
    def fit(rows, *options, x="u,v", y="y"):
        table, model = folder / "rows.csv", folder / "model"
        table.write_text(rows)
        target = ("--y", f"{table}:{y}") if y else ()
        options = (option.format(table=table) for option in options)
        run(program, "fit", "--x", f"{table}:{x}", *target, *options, "--quiet", "-o", model)
        return model.read_bytes()

    seeds = {name: fit(ROWS, "--kernel", kernel, "--alpha", "0.5") for name, kernel in KERNELS.items()}
    seeds["plain"] = fit(ROWS, "--kernel", KERNELS["volterra"], "--alpha", "0.5", "--no-scale", "--no-intercept")
    for name, options in PARTS.items():
        seeds[name] = fit(LABELLED, *options, y="label" if name == "classes" else "y")
    changes = ("--alpha", "0.5", "--target", "change", "--input", "both", "--season", "3")
    seeds["series"] = fit(ROWS, *changes, x="u", y=None)
    for name, words in SUMS.items():
        members = [word for word in words if word in seeds]
        for member in members:
            (folder / member).write_bytes(seeds[member])
        run(program, "combine", *members, *words[len(members) :], "-o", name, cwd=folder)
        seeds[name] = (folder / name).read_bytes()

    seeds.update((name, with_metadata(seeds[source], *change)) for name, (source, *change) in CHANGED_METADATA.items())
    seeds.update((name, with_number(seeds[source], *change)) for name, (source, *change) in CHANGED_NUMBERS.items())
    for name, value in EXTREMES.items():
        for tensor in ("inputs", "coefficients", "input_scale", "state"):
            seeds[f"{tensor}-{name}"] = with_number(seeds["volterra"], tensor, 0, value)
    seeds["no-state"] = without(seeds["volterra"], "state")
    seeds["landmarks-none"] = without(seeds["landmarks"], "landmarks")
    for name, tensor, shape in (
        *(("inputs-flat", "inputs", [16]), ("inputs-turned", "inputs", [2, 8])),
        ("scale-two", "input_scale", [1, 1]),
    ):
        header, data = split(seeds["volterra"])
        header[tensor]["shape"] = shape
        seeds[name] = join(header, data)
    for tensor in (key for key in split(seeds["kept"])[0] if "error" in key or "factor" in key):
        for name in ("nan", "huge", "zero", "minus"):
            seeds[f"kept-{tensor}-{name}"] = with_number(seeds["kept"], tensor, -1, EXTREMES[name])
        seeds[f"kept-no-{tensor}"] = without(seeds["kept"], tensor)
    header, data = split(seeds["sum"])
    seeds["sum-no-second"] = join({key.replace("member2.", "member3."): value for key, value in header.items()}, data)
    return seeds


def main(program):
    program = pathlib.Path(program).resolve()
    corpus.put("safetensors", "safetensors", safetensors())
    corpus.put("pcg_checkpoint", "ckpt", checkpoints())
    corpus.put("stream_state", "state", stream_states())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        corpus.put("learner_state", "state", learners(program, folder))
        corpus.put("model", "safetensors", models(program, folder))


if __name__ == "__main__":
    main(sys.argv[1])
