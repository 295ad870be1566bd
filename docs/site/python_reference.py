"""docs/site/python_reference.py: write the pages of the Python reference, with every public name of the package.

    python_reference.py PAGES
"""

import ast
import inspect
import sys
from pathlib import Path

import volterra

INDEX = """Python reference
================

.. currentmodule:: volterra

Install the package ``volterra`` with ``pip install .`` or from a wheel (:doc:`/install`). Rows are time steps. Estimators follow the
scikit-learn estimator API; scikit-learn itself is optional.

"""
OPTIONAL = ["gaussian_process", "sktime"]  # modules that require another package, which need not be installed here


def kind_of(value):
    if inspect.ismodule(value):
        return "Modules"
    if inspect.isclass(value):
        if issubclass(value, BaseException):
            return "Errors and warnings"
        return "Estimators" if hasattr(value, "fit") else "Other classes"
    return "Functions"


def heading(text, mark="="):
    return f"{text}\n{mark * len(text)}\n\n"


def first_sentence(value):
    return (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")


def class_page(name):
    return (
        heading(name) + ".. currentmodule:: volterra\n\n"
        f".. autoclass:: {name}\n   :members:\n   :inherited-members:\n   :exclude-members: count, index\n"
        "   :member-order: groupwise\n"
    )


def module_page(name):
    module = getattr(volterra, name)
    members = ""
    for member in functions_of(module):
        if inspect.isclass(getattr(module, member)):
            members += f".. autoclass:: {member}\n   :members:\n\n"
        else:
            members += f".. autofunction:: {member}\n\n"
    return heading(f"volterra.{name}") + f".. automodule:: volterra.{name}\n   :no-members:\n\n{members}"


def optional_page(name):
    return heading(f"volterra.{name}") + f".. automodule:: volterra.{name}\n   :members:\n"


def optional_sentence(name):
    source = Path(volterra.__file__).with_name(f"{name}.py").read_text()
    return (ast.get_docstring(ast.parse(source)) or "").split("\n\n")[0].replace("\n", " ")


def functions_of(module):
    public = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    return [n for n in public if inspect.isfunction(getattr(module, n)) or inspect.isclass(getattr(module, n))]


def together(title, names, directive):
    return heading(title) + ".. currentmodule:: volterra\n\n" + "".join(f".. {directive}:: {n}\n\n" for n in names)


def main():
    pages = Path(sys.argv[1])
    pages.mkdir(parents=True, exist_ok=True)
    groups = {title: [] for title in ("Estimators", "Other classes", "Functions", "Modules", "Errors and warnings")}
    for name in volterra.__all__:
        groups[kind_of(getattr(volterra, name))].append(name)
    index, toctree = INDEX, []
    for title, names in groups.items():
        index += heading(title, "-") + ".. list-table::\n   :widths: 30 70\n\n"
        for name in names:
            role = {"Functions": "func", "Modules": "mod"}.get(title, "exc" if title.startswith("Err") else "class")
            target = f":py:{role}:`volterra.{name}`" if role == "mod" else f":py:{role}:`{name}`"
            index += f"   * - {target}\n     - {first_sentence(getattr(volterra, name))}\n"
        if title == "Modules":
            for name in OPTIONAL:
                index += f"   * - :py:mod:`volterra.{name}`\n     - {optional_sentence(name)}\n"
                (pages / f"{name}.rst").write_text(optional_page(name))
                toctree.append(name)
        index += "\n"
        if title in ("Estimators", "Other classes", "Modules"):
            for name in names:
                text = module_page(name) if title == "Modules" else class_page(name)
                (pages / f"{name}.rst").write_text(text)
                toctree.append(name)
        else:
            file = title.split()[0].lower()
            directive = "autofunction" if title == "Functions" else "autoexception"
            (pages / f"{file}.rst").write_text(together(title, names, directive))
            toctree.append(file)
    listed = "".join(f"   {name}\n" for name in toctree)
    (pages / "index.rst").write_text(f"{index}.. toctree::\n   :hidden:\n\n{listed}")


if __name__ == "__main__":
    main()
