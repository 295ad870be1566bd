"""Contents and metadata of the wheel, and messages of a failed build."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import sys
import types

import pytest

import volterra


@pytest.fixture
def files():
    try:
        return [str(path) for path in importlib.metadata.files("volterra-kernels") or []]
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package runs from its source")


def test_library_is_in_the_package(files):
    libraries = [path for path in files if re.search(r"^[^.]*\.(so|dylib)", path)]
    assert libraries in (["volterra/libvolterra.so"], ["volterra/libvolterra.dylib"])
    assert "volterra/py.typed" in files


def test_nothing_else_is_installed(files):
    ours = r"(volterra|volterra_program|volterra_kernels(-[0-9.]+\.dist-info|\.libs))/|(\.\./)+bin/volterra$"
    assert not [path for path in files if not re.match(ours, path)]


def test_one_version(root):
    def stated(path, pattern):
        return re.search(pattern, (root / path).read_text(), re.MULTILINE)[1]

    version = stated("CMakeLists.txt", r"project\(volterra VERSION ([0-9.]+)")
    assert volterra.__version__ == volterra.info()["version"] == version
    assert stated("CITATION.cff", r"^version: (.+)$") == version
    assert stated("CHANGELOG.md", r"^## \[([0-9.]+)\]") == version
    assert stated("r/DESCRIPTION", r"^Version: (.+)$") == version
    assert stated("r/DESCRIPTION", r"libvolterra \(>= ([0-9.]+)\)") == version
    assert stated("docs/first_steps_r.md", r"build/r/volterra_([0-9.]+)\.tar\.gz") == version
    parts = [stated("include/volterra/base.h", rf"VOLT_VERSION_{name} ([0-9]+)") for name in ("MAJOR", "MINOR", "PATCH")]
    assert ".".join(parts) == version


def test_citation(root):
    """The text in Python, in docs/paper.md and in CITATION.cff agree."""
    assert f"```bibtex\n{volterra.__citation__}```" in (root / "docs/paper.md").read_text()
    given = dict(re.findall(r"^ +(\w+) = \{(.*)\}", volterra.__citation__.split("@misc{volterra")[0], re.MULTILINE))
    paper = (root / "CITATION.cff").read_text().split("references:")[1]
    names = zip(*(re.findall(rf"{part}-names: (.+)", paper) for part in ("family", "given")))
    assert given["author"] == " and ".join(", ".join(name) for name in names)
    assert given["title"].translate(str.maketrans("", "", "{}")) == re.search("title: (.+)", paper)[1]
    assert given["year"] == re.search("year: (.+)", paper)[1] and f"abs/{given['eprint']}" in paper


def test_names_of_the_distribution(files, root):
    told = importlib.metadata.metadata("volterra-kernels")
    assert told["Name"] == "volterra-kernels" and told["Version"] == volterra.__version__
    command = [entry for entry in importlib.metadata.distribution("volterra-kernels").entry_points if entry.name == "volterra"]
    assert [entry.value for entry in command] == ["volterra_program:main"]


def test_metadata_is_self_contained(files, root):
    """Links on the package page must be absolute."""
    told = importlib.metadata.metadata("volterra-kernels")
    authors = told["Author"] or told["Author-email"]
    assert authors in (root / "CITATION.cff").read_text()
    page = told.get_payload() or told["Description"]
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert links and all(link.startswith("https://") for link in links)


def test_licences_of_bundled_libraries(files, root):
    table = (root / "packaging" / "licenses" / "README.md").read_text()
    texts = set(re.findall(r"`([\w.-]+\.txt)`", table))
    assert {"libcsv.txt", "LGPL-2.1.txt", "OpenBLAS.txt", "NLopt.txt", "GCC-runtime.txt"} <= texts
    inside = {path.rsplit("/", 1)[-1]: path for path in files if "dist-info/licenses/" in path}
    assert texts | {"LICENSE", "README.md"} == set(inside)
    for path in files:  # of a wheel that auditwheel has been through
        if "volterra_kernels.libs/" in path:
            library = re.split("[-.]", path.rsplit("/", 1)[-1])[0]
            assert f"| `{library}` |" in table, path


def test_command_without_program_fails(files, monkeypatch, tmp_path):
    import volterra_program

    monkeypatch.setattr(volterra_program, "program", lambda: tmp_path / "nothing")
    with pytest.raises(SystemExit, match="Python"):
        volterra_program.main()


def test_command_is_the_program_of_the_package(files, monkeypatch):
    import volterra_program

    called = []
    monkeypatch.setattr(volterra_program.os, "execv", lambda path, words: called.append((path, words)))
    monkeypatch.setattr(volterra_program, "program", lambda: volterra_program.Path(sys.executable))
    monkeypatch.setattr(sys, "argv", ["/somewhere/bin/volterra", "forecast", "a file.csv"])
    volterra_program.main()
    assert called == [(volterra_program.Path(sys.executable), ["/somewhere/bin/volterra", "forecast", "a file.csv"])]
    monkeypatch.undo()
    assert volterra_program.program() == volterra_program.Path(volterra.__file__).parent / "bin" / "volterra"


@pytest.fixture
def backend(root, monkeypatch):
    """The build backend with a scikit-build-core that builds nothing."""
    skbuild = types.ModuleType("scikit_build_core.build")
    skbuild.get_requires_for_build_wheel = lambda settings=None: ["ninja"]
    skbuild.build_wheel = lambda folder, settings=None, metadata=None: "built"
    monkeypatch.setitem(sys.modules, "scikit_build_core", types.ModuleType("scikit_build_core"))
    monkeypatch.setitem(sys.modules, "scikit_build_core.build", skbuild)
    sys.modules["scikit_build_core"].build = skbuild
    path = root / "python" / "backend" / "volterra_backend.py"
    spec = importlib.util.spec_from_file_location("volterra_backend", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_backend_reports_missing_package(backend, monkeypatch):
    monkeypatch.setenv("CC", "/nowhere/cc")
    for hook in (backend.get_requires_for_build_wheel, lambda: backend.build_wheel(".")):
        with pytest.raises(SystemExit) as stopped:
            hook()
        said = str(stopped.value)
        assert re.fullmatch(r"volterra-kernels is compiled here, and this machine lacks .*a C compiler.* try again\.", said)
        assert "\n" not in said and "CMake" not in said


def test_backend_reports_nothing_when_complete(backend, monkeypatch):
    lines = "CMake 3.22 or later: cmake\nOpenBLAS (its OpenMP build): libopenblas-openmp-dev\n"
    listed = types.SimpleNamespace(stdout=lines)
    monkeypatch.setattr(backend.subprocess, "run", lambda *words, **options: listed)
    with pytest.raises(SystemExit, match="OpenBLAS.*OpenMP"):
        backend.get_requires_for_build_wheel()
    chosen = {"cmake.define.VOLT_BLAS": "Generic"}
    assert backend.get_requires_for_build_wheel(chosen) == ["ninja"] and backend.build_wheel(".", chosen) == "built"
    listed.stdout = "Random123\n"
    with pytest.raises(SystemExit, match="Random123"):
        backend.build_wheel(".")


def test_everything_public_is_documented():
    for name in volterra.__all__:
        assert getattr(volterra, name).__doc__, name
