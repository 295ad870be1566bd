"""A pytest plugin: one TAP line per test, which tests/run_tests.sh counts. Load it with ``-p tap_lines``."""

from __future__ import annotations

import pytest


class TapLines:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.count = 0

    def _say(self, line: str) -> None:
        print(line, flush=True)

    def _test(self, ok: bool, name: str, remark: str = "") -> None:
        self.count += 1
        self._say(f"{'ok' if ok else 'not ok'} {self.count} - {name}{' # ' + remark if remark else ''}")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._say(f"1..{len(session.items)}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._test(False, f"collect {report.nodeid}")
            self._comment(report.longreprtext)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            expected = hasattr(report, "wasxfail")  # an expected failure counts as ok
            self._test(True, report.nodeid, "" if expected else "SKIP")
        elif report.failed:
            self._test(False, report.nodeid, "" if report.when == "call" else str(report.when))
            self._comment(report.longreprtext)
        elif report.when == "call":
            self._test(True, report.nodeid)

    def _comment(self, text: str) -> None:
        for line in text.splitlines():
            self._say(f"# {line}")


@pytest.hookimpl(trylast=True)  # after pytest's reporter is registered
def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(TapLines(config))
