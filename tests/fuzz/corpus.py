#!/usr/bin/env python3
"""tests/fuzz/corpus.py: the cases of the fuzz targets. The cases of a target are the files of the archive corpus/TARGET.tar.

    tests/fuzz/corpus.py list [TARGET...]         prints target, size and name of each case
    tests/fuzz/corpus.py show TARGET CASE         writes the bytes of a case to standard output
    tests/fuzz/corpus.py add TARGET FILE...       adds files as cases of the same names, or replaces those
    tests/fuzz/corpus.py unpack TARGET FOLDER     writes the cases to a folder
    tests/fuzz/corpus.py pack TARGET FOLDER       replaces the cases with the files of a folder
    tests/fuzz/corpus.py check                    fails if an archive has no target, or is not as this script writes it

The archives are uncompressed ustar files with sorted names and constant metadata: the same cases give the same bytes.
"""
import inspect
import io
import pathlib
import sys
import tarfile

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"


def path_of(target):
    return CORPUS / f"{target}.tar"


def read(target):
    """The cases of a target: a dictionary of bytes by name."""
    with tarfile.open(path_of(target), "r:") as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive}


def packed(cases):
    """The archive of these cases, as bytes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in sorted(cases.items()):
            entry = tarfile.TarInfo(name)  # mode 0644; owner, group and time are 0
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def write(target, cases):
    path_of(target).write_bytes(packed(cases))


def update(target, cases):
    """Adds or replaces cases. Other cases are kept."""
    write(target, {**(read(target) if path_of(target).exists() else {}), **cases})


def put(target, ending, seeds):
    """Adds or replaces the cases NAME.ENDING of a dictionary of texts and bytes by name."""
    update(target, {f"{name}.{ending}": data.encode() if isinstance(data, str) else data for name, data in seeds.items()})


def truncated(name, data, parts):
    """The first 1, 2, ... of that many parts of a file, as seeds NAME-cut1, NAME-cut2, ..."""
    return {f"{name}-cut{k}": data[: len(data) * k // parts] for k in range(1, parts)}


def files(paths):
    return {path.name: path.read_bytes() for path in map(pathlib.Path, paths)}


def print_cases(*targets):
    for target in targets or sorted(path.stem for path in CORPUS.glob("*.tar")):
        for name, data in read(target).items():
            print(f"{target:16} {len(data):8} {name}")


def show(target, case):
    sys.stdout.buffer.write(read(target)[case])


def add(target, *paths):
    update(target, files(paths))


def unpack(target, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in read(target).items():
        (folder / name).write_bytes(data)


def pack(target, folder):
    write(target, files(pathlib.Path(folder).iterdir()))


def check():
    for path in CORPUS.iterdir():
        if not CORPUS.with_name(f"fuzz_{path.stem}.c").exists():
            sys.exit(f"corpus.py: {path.name} has no target")
        if packed(read(path.stem)) != path.read_bytes():
            sys.exit(f"corpus.py: unpack and pack again: {path.name}")


def main(name="", *arguments):
    command = {"list": print_cases, "show": show, "add": add, "unpack": unpack, "pack": pack, "check": check}.get(name)
    try:
        inspect.signature(command).bind(*arguments)
    except TypeError:  # an unknown command, or another number of arguments
        sys.exit(__doc__)
    try:
        command(*arguments)
    except (OSError, KeyError, ValueError, tarfile.TarError) as error:
        sys.exit(f"corpus.py: {name}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
