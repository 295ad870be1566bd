"""The build backend of the Python package: scikit-build-core, after a look at what the build needs.

Without a compiler, or a library, CMake would end in a page of its own; here it is one sentence that says what to
install. Dependencies and their package names are listed once: in ``scripts/deps.sh``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

from scikit_build_core import build as _skbuild
from scikit_build_core.build import *  # noqa: F403  the hooks that need no compiler

_Settings = Optional[Dict[str, Any]]

_DEPS = Path(__file__).parents[2] / "scripts" / "deps.sh"


def _chooses_blas(settings: _Settings) -> bool:
    """Whether the caller names a BLAS, which deps.sh does not know of."""
    words = [*(settings or {}), *map(str, (settings or {}).values())]
    words += [value for name, value in os.environ.items() if name in ("CMAKE_ARGS", "SKBUILD_CMAKE_ARGS")]
    words += [os.environ.get("SKBUILD_CMAKE_DEFINE", "")]
    return any("VOLT_BLAS" in word for word in words)


def _lacking(settings: _Settings) -> List[List[str]]:
    """Pairs of what is missing and its packages ("" where they are not known), from scripts/deps.sh."""
    bash = shutil.which("bash")
    if not bash or not _DEPS.exists():
        return []
    listed = subprocess.run([bash, str(_DEPS), "--list", "build"], capture_output=True, text=True, check=False)
    found = [(line + ": ").split(": ")[:2] for line in listed.stdout.splitlines()]
    # pip has CMake where the system has none.
    passed_over = ("CMake", "OpenBLAS") if _chooses_blas(settings) else ("CMake",)
    return [pair for pair in found if not pair[0].startswith(passed_over)]


def _require_tools(settings: _Settings) -> None:
    lacking = _lacking(settings)
    if not lacking:
        return
    names = [name for name, _ in lacking]
    packages = " ".join(package for _, package in lacking if package)
    sys.exit(
        "volterra-kernels is compiled here, and this machine lacks "
        + (" and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0])
        + (f"; install the packages {packages} and try again." if packages else "; install that and try again.")
    )


def get_requires_for_build_wheel(config_settings: _Settings = None) -> List[str]:
    _require_tools(config_settings)
    return _skbuild.get_requires_for_build_wheel(config_settings)


def get_requires_for_build_editable(config_settings: _Settings = None) -> List[str]:
    _require_tools(config_settings)
    return _skbuild.get_requires_for_build_editable(config_settings)


def build_wheel(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: Optional[str] = None
) -> str:
    _require_tools(config_settings)
    return _skbuild.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: Optional[str] = None
) -> str:
    _require_tools(config_settings)
    return _skbuild.build_editable(wheel_directory, config_settings, metadata_directory)
