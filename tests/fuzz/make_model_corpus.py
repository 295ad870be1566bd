#!/usr/bin/env python3
"""tests/fuzz/make_model_corpus.py: the seeds of fuzz_model.

    python3 tests/fuzz/make_model_corpus.py build/volterra

fits small models with the program, one for each kind of kernel, and writes them to corpus/model in this folder,
with variants whose metadata or tensors say something else. The target puts checksums right, so they are left as
they are. Needs nothing but Python and the program.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus" / "model"
ROWS = "u,v,y\n" + "".join(
    f"{(7 * t % 5) / 4},{(3 * t % 7) / 8},{(5 * t % 11) / 16}\n" for t in range(8)
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


def fit(program, folder, kernel, *options):
    table, model = folder / "rows.csv", folder / "model.safetensors"
    table.write_text(ROWS)
    subprocess.run(
        [program, "fit", "--x", f"{table}:u,v", "--y", f"{table}:y", "--kernel", kernel, "--alpha", "0.5", "-o", model]
        + ["--quiet", *options],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return model.read_bytes()


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


def fit_parts(program, folder, name):
    table, model = folder / "rows.csv", folder / "parts.safetensors"
    lines = ROWS.splitlines()
    labels = ["label,part"] + [f"{'yes' if t % 3 else 'no'},{t // 4}" for t in range(len(lines) - 1)]
    table.write_text("".join(f"{line},{label}\n" for line, label in zip(lines, labels)))
    options = [option.format(table=table) for option in PARTS[name]]
    target = "label" if name == "classes" else "y"
    subprocess.run(
        [program, "fit", "--x", f"{table}:u,v", "--y", f"{table}:{target}", "--quiet", "-o", model, *options],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return model.read_bytes()


def part_variants(model):
    """The model with errors and a factor, with one number of them changed, or one of their tensors gone."""
    header, _ = split(model)
    for key in (key for key in header if "error" in key or "factor" in key):
        for name, value in {"nan": float("nan"), "huge": 1e308, "zero": 0.0, "minus": -1.0}.items():
            header, data = split(model)
            begin, end = header[key]["data_offsets"]
            end -= 8
            yield f"{key}-{name}", join(header, data[:end] + struct.pack("<d", value) + data[end + 8 :])
        header, data = split(model)
        del header[key]
        yield f"no-{key}", join(header, data)


def landmark_variants(model):
    """The model on landmarks with one of the numbers that say what the rows were changed, or all of them gone."""
    for name, at, value in (
        *(("more-landmarks", 0, 1e9), ("no-rows", 1, 0.0), ("half-a-row", 1, 2.5), ("nan-rows", 1, float("nan"))),
        *(("late-washout", 2, 8.0), ("long-record", 3, 1e9), ("minus-record", 4, -1.0)),
    ):
        header, data = split(model)
        begin = header["landmarks"]["data_offsets"][0] + 8 * at
        yield name, join(header, data[:begin] + struct.pack("<d", value) + data[begin + 8 :])
    header, data = split(model)
    del header["landmarks"]
    yield "none", join(header, data)


#: Fields that disagree: a number of a tensor, or a metadatum, which another one contradicts.
DISAGREEMENTS = {
    "esn-size": ("esn", "kernel", None, "esn:size=10000"),
    "esn-default-size": ("esn", "kernel", None, "esn"),
    "esn-count": ("esn", "reservoirs", None, "2"),
    "esn-other-kind": ("esn", "kernel", None, "sas:size=3"),
    "rbf-window-reservoirs": ("rbf-window", "reservoirs", None, "1"),
    "landmarks-short-records": ("landmarks", "landmarks", 3, 3.0),
    "landmarks-few-rows": ("landmarks", "landmarks", 2, 6.0),
    "fed-no-last-target": ("fed", "no_last_target", None, "yes"),
    "kept-other-alpha": ("kept", "alpha", None, "0.25"),
    "series-other-alpha": ("series", "alpha", None, "0.25"),
    "classes-anchor": ("classes", "anchors", 0, 0.0),
    "series-horizons": ("series", "horizons", None, "1..24"),
    "initial-word": ("initial-values", "initial", None, "last"),
    "initial-other-word": ("initial-values", "initial", None, "first"),
    "initial-no-values": ("initial-first", "initial", None, "values"),
    "initial-input-nan": ("initial-values", "initial_input", 0, float("nan")),
    "initial-input-huge": ("initial-values", "initial_input", 1, 1e308),
    "initial-values-nan": ("initial-values", "initial_values", 0, float("nan")),
    "scale-each-more": ("scale-each", "weighted_inputs", None, "3"),
    "scale-each-minus": ("scale-each", "weighted_inputs", None, "-1"),
    "scale-each-text": ("scale-each", "weighted_inputs", None, "both"),
    "scale-each-nan": ("scale-each", "columns", 11, float("nan")),
    "scale-each-zero": ("scale-each", "columns", 5, 0.0),
}


def disagreements():
    """Models of the corpus with one field that another one contradicts."""
    for name, (source, key, at, value) in DISAGREEMENTS.items():
        header, data = split((CORPUS / f"{source}.safetensors").read_bytes())
        if at is None:
            header["__metadata__"][key] = value
        else:
            begin = header[key]["data_offsets"][0] + 8 * at
            data = data[:begin] + struct.pack("<d", value) + data[begin + 8 :]
        yield name, join(header, data)


def fit_series(program, folder):
    """A model of changes, with a recipe of its columns."""
    table, model = folder / "rows.csv", folder / "series.safetensors"
    table.write_text(ROWS)
    subprocess.run(
        [program, "fit", "--x", f"{table}:u", "--alpha", "0.5", "--target", "change", "--input", "both"]
        + ["--season", "3", "--quiet", "-o", model],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return model.read_bytes()


def split(model):
    length = struct.unpack("<Q", model[:8])[0]
    return json.loads(model[8 : 8 + length]), model[8 + length :]


def join(header, data):
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def variants(model):
    """The model with one thing changed."""
    changes = {
        "other-kernel": ("kernel", "gak:sigma=1,window=3"),
        "long-window": ("kernel", "gak:sigma=1,window=30000"),
        "long-sum": ("kernel", "rbf:gamma=1,window=1000000000"),
        "deep": ("kernel", "sig:level=12,path=rows"),
        "no-kernel": ("kernel", "gausian"),
        "radius-zero": ("radius", "0"),
        "radius-huge": ("radius", "1e308"),
        "alpha-negative": ("alpha", "-1"),
        "washout": ("washout", "9"),
        "washout-all": ("washout", "8"),
        "ahead": ("ahead", "1e15"),
        "flag": ("intercept", "maybe"),
        "feedback": ("feedback", "yes"),
        "version": ("version", "2"),
        "names": ("input_names", '["a"]'),
        "names-number": ("output_names", "[3]"),
        "names-json": ("input_names", "[" * 100),
    }
    for name, (key, value) in changes.items():
        header, data = split(model)
        header["__metadata__"][key] = value
        yield name, join(header, data)
    tensors = {
        "no-state": ("state", None),
        "inputs-flat": ("inputs", [16]),
        "inputs-turned": ("inputs", [2, 8]),
        "scale-two": ("input_scale", [1, 1]),
    }
    for name, (key, shape) in tensors.items():
        header, data = split(model)
        if shape is None:
            del header[key]
        else:
            header[key]["shape"] = shape
        yield name, join(header, data)
    numbers = {"nan": float("nan"), "infinite": float("inf"), "huge": 1e308, "tiny": 5e-324, "zero": 0.0, "minus": -1.0}
    for name, value in numbers.items():
        for key in ("inputs", "coefficients", "input_scale", "state"):
            header, data = split(model)
            begin = header[key]["data_offsets"][0]
            yield f"{key}-{name}", join(header, data[:begin] + struct.pack("<d", value) + data[begin + 8 :])


def series_variants(model):
    """The model of changes with a lag beyond its rows, an anchor beyond its inputs, and without its columns."""
    for name, key, at, value in (("series-lag", "columns", 1, 1e6), ("series-anchor", "anchors", 0, 7.0)):
        header, data = split(model)
        begin = header[key]["data_offsets"][0] + 8 * at
        yield name, join(header, data[:begin] + struct.pack("<d", value) + data[begin + 8 :])
    header, data = split(model)
    header["__metadata__"]["input"] = "level"
    yield "series-level", join(header, data)


def sums(program, folder):
    """Sums of models of the corpus, one in another, and with one field changed."""
    made = {
        "sum": ["volterra", "fed", "--weights", "0.25,-2"],
        "sum-residual": ["linear", "fed", "--kind", "residual"],
        "sum-nested": ["sum", "sum-residual"],
    }
    for name, options in made.items():
        files = [CORPUS / f"{word}.safetensors" if word in KERNELS or word in PARTS else word for word in options]
        files = [folder / f"{word}.safetensors" if word in made else word for word in files]
        path = folder / f"{name}.safetensors"
        subprocess.run([program, "combine", *files, "-o", path], check=True, stdout=subprocess.DEVNULL)
        yield name, path.read_bytes()
    for name, key, value in (
        *(("kind", "sum", "mean"), ("version", "version", "6"), ("member-version", "member1.version", "7")),
        *(("ahead", "member1.ahead", "3"), ("names", "member2.input_names", '["u","w"]')),
    ):
        header, data = split((folder / "sum.safetensors").read_bytes())
        header["__metadata__"][key] = value
        yield f"sum-{name}", join(header, data)
    for name, value in {"nan": float("nan"), "huge": 1e308, "zero": 0.0}.items():
        header, data = split((folder / "sum.safetensors").read_bytes())
        begin = header["weights"]["data_offsets"][0]
        yield f"sum-weight-{name}", join(header, data[:begin] + struct.pack("<d", value) + data[begin + 8 :])
    header, data = split((folder / "sum.safetensors").read_bytes())
    header = {key.replace("member2.", "member3."): value for key, value in header.items()}
    yield "sum-no-second", join(header, data)


def main(program):
    CORPUS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, kernel in KERNELS.items():
            (CORPUS / f"{name}.safetensors").write_bytes(fit(program, folder, kernel))
        plain = fit(program, folder, KERNELS["volterra"], "--no-scale", "--no-intercept")
        (CORPUS / "plain.safetensors").write_bytes(plain)
        for name, data in variants(fit(program, folder, KERNELS["volterra"])):
            (CORPUS / f"{name}.safetensors").write_bytes(data)
        for name in PARTS:
            (CORPUS / f"{name}.safetensors").write_bytes(fit_parts(program, folder, name))
        for name, data in part_variants((CORPUS / "kept.safetensors").read_bytes()):
            (CORPUS / f"kept-{name}.safetensors").write_bytes(data)
        for name, data in landmark_variants((CORPUS / "landmarks.safetensors").read_bytes()):
            (CORPUS / f"landmarks-{name}.safetensors").write_bytes(data)
        series = fit_series(program, folder)
        (CORPUS / "series.safetensors").write_bytes(series)
        for name, data in series_variants(series):
            (CORPUS / f"{name}.safetensors").write_bytes(data)
        for name, data in sums(program, folder):
            (CORPUS / f"{name}.safetensors").write_bytes(data)
    for name, data in disagreements():
        (CORPUS / f"{name}.safetensors").write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1])
