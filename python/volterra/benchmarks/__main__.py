"""The command ``python -m volterra.benchmarks``: options, failures as one line and an exit status."""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import Any, Callable, NoReturn, Optional, Sequence

from .._core import _machine
from .._core._arguments import MAX_SEED, seconds_of
from . import _chaos, _sysid, _uea
from ._common import PROGRAM, DataError, Machine, UsageError, command_line

_FAILED, _USAGE, _INTERRUPTED = 1, 2, 130


class _Parser(argparse.ArgumentParser):
    """Reports a wrong option in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{PROGRAM}: {message} (see {self.prog} --help)", file=sys.stderr)
        sys.exit(_USAGE)


def count_of(least: int, most: Optional[int] = None) -> Callable[[str], int]:
    """A type of option: a whole number within bounds, also written as 1e4."""

    def parse(text: str) -> int:
        try:
            number = int(text) if text.lstrip("-").isdigit() else float(text)
            whole = int(number)
        except (ValueError, OverflowError):
            raise argparse.ArgumentTypeError(f"must be a whole number (got {text!r})") from None
        if whole != number:
            raise argparse.ArgumentTypeError(f"must be a whole number (got {text!r})")
        if whole < least:
            raise argparse.ArgumentTypeError(f"must be at least {least} (got {text})")
        if most is not None and whole > most:
            raise argparse.ArgumentTypeError(f"must be at most {most} (got {text})")
        return whole

    return parse


def duration(text: str) -> float:
    """A type of option: seconds, 90s, 5min, 1h30m."""
    try:
        return seconds_of(text)
    except ValueError:
        try:
            return seconds_of(float(text))
        except ValueError:
            raise argparse.ArgumentTypeError(
                f"must be a positive time such as 90s, 5min or 1h (got {text!r})"
            ) from None


def _common_options() -> _Parser:
    common = _Parser(add_help=False)
    group = common.add_argument_group("common options")
    group.add_argument("--json", action="store_true", help="print the results as JSON")
    group.add_argument(
        "--threads",
        type=count_of(1),
        metavar="N",
        help="number of threads (default: OMP_NUM_THREADS, or one per core)",
    )
    group.add_argument("--device", metavar="D", help="auto (default), cpu, gpu, gpu:1, gpu:0,1, ...")
    group.add_argument(
        "--seed", type=count_of(0, MAX_SEED), default=0, metavar="S", help="seed of random numbers (default 0)"
    )
    group.add_argument("--quiet", action="store_true", help="no progress bars and no warnings")
    return common


def parser() -> argparse.ArgumentParser:
    """The options of all benchmarks."""
    top = _Parser(prog=f"python -m {PROGRAM}", description="Published benchmark tables.", allow_abbrev=False)
    commands = top.add_subparsers(dest="name", metavar="NAME", required=True)
    common = _common_options()
    for module, name in ((_sysid, "sysid"), (_chaos, "chaos"), (_uea, "uea")):
        one = commands.add_parser(
            name,
            help=module.SUMMARY,
            description=module.DESCRIPTION,
            epilog=module.EXAMPLES,
            parents=[common],
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_options(one, count_of, duration)
        one.set_defaults(run=module.run)
    return top


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    print(f"{PROGRAM}: warning: {message}", file=sys.stderr)


def _run(options: argparse.Namespace, line: str) -> None:
    if options.threads is not None:
        _machine.set_threads(options.threads)
    if options.device is not None:
        _machine.set_device(options.device)
    with warnings.catch_warnings():
        if options.quiet:
            warnings.simplefilter("ignore")
        else:
            warnings.simplefilter("always")
            warnings.showwarning = _show_warning
        options.run(options, Machine(options.seed, options.quiet), line)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run a benchmark; returns the exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        None: those of the command line.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = parser().parse_args(words)
        _run(options, command_line(["python", "-m", PROGRAM, *words]))
    except SystemExit as ended:
        return int(ended.code or 0)
    except UsageError as failure:
        return _fail(failure, _USAGE)
    except KeyboardInterrupt:
        return _fail("interrupted", _INTERRUPTED)
    except (DataError, ValueError, OSError, RuntimeError, MemoryError) as failure:
        return _fail(failure, _FAILED)
    return 0


def _fail(message: Any, status: int) -> int:
    print(f"{PROGRAM}: {message}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
