"""The page in the browser: results, invalid files, cancelling, keyboard and labels, work without a network.

    test_page.py PAGE PROGRAM       prints one line of TAP for each case

The page has the mathematical functions of another C library, no fused multiply-add and no BLAS, so its
results differ from those of the program by rounding. Exponential smoothing (src/stats/ets.c) stops within
1e-4 of the minimum of -2 log L, that is within 1e-2 standard errors of its parameters: forecasts may differ
by 1e-2 expected errors. Identification by draws has no minimiser with such a tolerance on short files, and
the condition of its systems leaves 1e-6.
"""

import functools
import http.server
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

from browser import Browser

SEED = 20261117
PAGE, PROGRAM = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="volterra-page-"))
PANELS = {"forecast": "#forecast", "identify": "#identify"}

CASES = []


def case(function):
    CASES.append(function)
    return function


def file_of(name, text):
    path = FOLDER / name
    path.write_text(text)
    return path


def monthly(rows):
    noise = random.Random(SEED)
    text = "month,sales\n"
    for i in range(rows):
        value = 100 + 0.3 * i + 20 * math.sin(math.pi * i / 6) + noise.gauss(0, 3)
        text += f"{1980 + i // 12}-{i % 12 + 1:02d},{value:.3f}\n"
    return text


def program(*words):
    run = subprocess.run([PROGRAM, *words, "--json"], cwd=FOLDER, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def error_of(browser, task):
    return browser.evaluate(f"document.querySelector('{PANELS[task]} .error[role=alert]').textContent")


def settle(browser, task, what, seconds=120):
    """Waits for a part of the panel, or for an error; returns the error."""
    browser.wait(f"(() => {{ const p = document.querySelector('{PANELS[task]}');"
                 "return p.getAttribute('aria-busy') !== 'true' &&"
                 f"(!p.querySelector('{what}').hidden || !p.querySelector('.error[role=alert]').hidden);"
                 " })()", seconds)
    return error_of(browser, task)


def open_file(browser, task, path):
    browser.evaluate(f"document.querySelector('#tab-{task}').click()")
    browser.choose_file(f"#{task}-file", path)
    browser.wait(f"document.querySelector('{PANELS[task]} input[type=file]').files.length === 1")
    return settle(browser, task, ".chosen")


def submit(browser, task):
    browser.evaluate(f"document.querySelector('{PANELS[task]} form').requestSubmit()")


def run(browser, task, seconds=300):
    submit(browser, task)
    return settle(browser, task, ".result", seconds)


def result(browser, task):
    return json.loads(browser.evaluate(f"document.querySelector('{PANELS[task]} .result').dataset.json"))


@case
def page_is_small_and_complete(browser):
    assert PAGE.stat().st_size < 2_000_000
    began = time.monotonic()
    browser.open(PAGE.as_uri())
    print(f"# page loaded in {time.monotonic() - began:.2f} s")


@case
def forecast_agrees_with_program(browser):
    path = file_of("monthly.csv", monthly(500))
    assert open_file(browser, "forecast", path) == ""
    assert "500 rows" in browser.evaluate("document.querySelector('#forecast .source').textContent")
    assert run(browser, "forecast") == ""
    seconds = browser.evaluate("document.querySelector('#forecast .result').dataset.seconds")
    print(f"# forecast of 500 monthly values in {seconds} s")
    found = result(browser, "forecast")
    expected = program("forecast", "monthly.csv:sales", "--interval", "0.8,0.95")
    bound = 1e-2 * expected["series"][0]["rmse"]
    assert found["time"] == expected["time"] and found["season"] == expected["season"] == 12
    pairs = list(zip(found["forecast"] + found["rmse"], expected["forecast"] + expected["rmse"]))
    for ours, theirs in zip(found["intervals"], expected["intervals"]):
        pairs += zip(ours["lower"] + ours["upper"], theirs["lower"] + theirs["upper"])
    worst = max(abs(a[0] - b[0]) for a, b in pairs)
    print(f"# largest difference from the program: {worst / bound * 1e-2:.1e} of the expected error")
    assert worst <= bound
    assert browser.evaluate("document.activeElement.tagName") == "H2"
    for part in ("svg title", "table caption", "pre"):
        assert browser.evaluate(f"document.querySelector('#forecast .result {part}').textContent") != ""
    shown = browser.evaluate("document.querySelector('#forecast .result').innerText")
    for name in ("expected error", "naive", "seasonal naive", "95 % interval"):
        assert name in shown, name


@case
def plots_have_the_width_of_the_window(browser):
    width = "document.querySelector('#forecast .result svg.plot').viewBox.baseVal.width"
    before = browser.evaluate(width)
    browser.call("Emulation.setDeviceMetricsOverride", width=500, height=900, deviceScaleFactor=1, mobile=False)
    browser.wait(f"{width} === document.documentElement.clientWidth - 32", 10)
    browser.call("Emulation.clearDeviceMetricsOverride")
    browser.wait(f"{width} === {before}", 10)


@case
def options_reach_the_program(browser):
    browser.evaluate("document.querySelector('#forecast [name=steps]').value = '5'")
    browser.evaluate("document.querySelector('#forecast [name=season]').value = 'none'")
    assert run(browser, "forecast") == ""
    found = result(browser, "forecast")
    assert found["steps"] == 5 and found["season"] == 0 and len(found["forecast"]) == 5
    assert "--season none" in browser.evaluate("document.querySelector('#forecast .result pre').textContent")
    browser.evaluate("document.querySelector('#forecast form').reset()")


@case
def identification_agrees_with_program(browser):
    lines = (ROOT / "examples/data/tanks.csv").read_text().splitlines()[:501]
    path = file_of("tanks.csv", "\n".join(lines) + "\n")
    assert open_file(browser, "identify", path) == ""
    assert run(browser, "identify") == ""
    found = result(browser, "identify")
    expected = program("identify", "tanks.csv", "--x", "pump", "--y", "level", "--draws", "4",
                       "-o", "model.safetensors", "--report", "/dev/null")
    assert found["chosen"] == expected["chosen"] and found["averaged"] == expected["averaged"]
    ours, theirs = (re.split(r"[:=,]| [+] |[*]", one["kernel"]) for one in (found, expected))
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        assert a == b or abs(float(a) - float(b)) <= 1e-12 * abs(float(b)), (a, b)
    for name in ("test_rmse", "linear_test_rmse", "noise", "correlation"):
        print(f"# {name}: {found[name]!r} {expected[name]!r}")
        assert abs(found[name] - expected[name]) <= 1e-6 * abs(expected[name]), name
    shown = browser.evaluate("document.querySelector('#identify .result').innerText")
    assert "free-run error" in shown and "linear model" in shown
    assert browser.evaluate("document.querySelectorAll('#identify .result path').length") == 2
    browser.evaluate("window.saved = []; window.download = (name, text) => saved.push(name, text)")
    browser.evaluate("[...document.querySelectorAll('#identify .result button')].at(-1).click()")
    name, text = browser.evaluate("saved")
    lines = [line.split(",") for line in text.splitlines()]
    assert name == "tanks-simulation.csv" and lines[0][1:] == ["level.measured", "level.simulated"], lines[0]
    diagnosis = expected["diagnosis"]
    assert len(lines) - 1 == found["test_rows"] == len(diagnosis["measured"])
    for line, measured, simulated in zip(lines[1:], diagnosis["measured"], diagnosis["simulated"]):
        assert float(line[1]) == measured[0]
        assert abs(float(line[2]) - simulated[0]) <= 1e-6 * expected["test_rmse"] + 1e-6 * abs(simulated[0])
    cells = browser.evaluate("[...document.querySelectorAll('#identify .result details td')].length")
    assert cells == 2 * found["test_rows"]


@case
def invalid_files_are_reported(browser):
    file_of("big.csv", "a\n" + "1\n" * 26_000_000)
    lines = ["t,a"] + [f"{i},{'' if i == 7 else i * i % 11}" for i in range(60)]
    for name, text, terms in (
            ("empty.csv", "", "empty"),
            ("words.csv", "a,b\nx,y\nu,v\nw,z\n", ""),
            ("ragged.csv", "a,b\n1,2\n3\n4,5,6\n", "ragged.csv"),
            ("big.csv", None, "big.csv 50")):
        path = FOLDER / name if text is None else file_of(name, text)
        message = open_file(browser, "forecast", path)
        print(f"# {name}: {message}")
        assert message and all(term in message for term in terms.split()), name
    (FOLDER / "big.csv").unlink()
    for name, text, terms in (("one.csv", "a\n1\n", "row 3"), ("gap.csv", "\n".join(lines) + "\n", "line 9")):
        assert open_file(browser, "forecast", file_of(name, text)) == "", name
        message = run(browser, "forecast")
        print(f"# {name}: {message}")
        assert all(term in message for term in terms.split()), name
        assert browser.evaluate("document.activeElement.type") == "submit"
    browser.evaluate("document.querySelector('#forecast [name=missing]').value = 'interpolate'")
    assert run(browser, "forecast") == ""
    browser.evaluate("document.querySelector('#forecast form').reset()")
    days = [day for day in range(1, 31) if day not in (8, 9)]
    gap = "date,a\n" + "".join(f"2023-01-{day:02d},{day * day % 11}\n" for day in days)
    assert open_file(browser, "forecast", file_of("my days.csv", gap)) == "" and run(browser, "forecast") == ""
    warnings = browser.evaluate("document.querySelector('#forecast .warnings').textContent")
    assert "2023-01-07" in warnings and "2023-01-10" in warnings, warnings
    command = browser.evaluate("document.querySelector('#forecast .result pre').textContent")
    assert "'my days.csv:a'" in command, command
    comma = 'a,"b, c"\n' + "".join(f"{i * i % 7},{i * i % 11}\n" for i in range(40))
    assert open_file(browser, "forecast", file_of("comma.csv", comma)) == ""
    browser.evaluate("document.querySelectorAll('#forecast .columns input').forEach((box) => box.click())")
    assert run(browser, "forecast") == "" and result(browser, "forecast")["names"] == ["b, c"]
    bare = "".join(f"{i * i % 7}\n" for i in range(40))
    assert open_file(browser, "forecast", file_of("bare.csv", bare)) == "" and run(browser, "forecast") == ""
    assert browser.evaluate("document.querySelector('#forecast .result path.history').getAttribute('d')")
    mixed = "name,a\n" + "".join(f"x{i},{i * 7 % 5}\n" for i in range(40))
    assert open_file(browser, "forecast", file_of("mixed.csv", mixed)) == "" and run(browser, "forecast") == ""
    assert browser.evaluate("document.querySelector('#forecast .columns input').disabled")
    short = "u,y\n" + "".join(f"{i % 3},{i % 5}\n" for i in range(20))
    assert open_file(browser, "identify", file_of("short.csv", short)) == ""
    message = run(browser, "identify")
    assert "60" in message, message


@case
def invalid_file_replaces_the_previous_one(browser):
    file_of("good.csv", monthly(60))
    file_of("bad.csv", "a,b\n1,2\n3\n")
    file_of("big.csv", "a\n" + "1\n" * 26_000_000)
    for name in ("big.csv", "bad.csv"):
        assert open_file(browser, "forecast", FOLDER / "good.csv") == ""
        assert open_file(browser, "forecast", FOLDER / name) != ""
        submit(browser, "forecast")
        assert "choose a file" in error_of(browser, "forecast")
        assert browser.evaluate("document.querySelector('#forecast .result').hidden"), name
        assert browser.evaluate("document.querySelector('#forecast .chosen').hidden"), name
    (FOLDER / "big.csv").unlink()


@case
def cancelling_ends_the_run(browser):
    browser.evaluate("document.querySelector('#identify .example').click()")
    assert settle(browser, "identify", ".chosen") == ""
    browser.evaluate("document.querySelector('#identify [name=draws]').value = '60'")
    submit(browser, "identify")
    browser.wait("document.querySelector('#identify .running').textContent.includes('% done')")
    assert not browser.evaluate("document.querySelector('#identify .cancel').hidden")
    browser.evaluate("document.querySelector('#identify .cancel').click()")
    assert settle(browser, "identify", ".result", 10) == "cancelled"
    assert browser.evaluate("document.querySelector('#identify .result').hidden")
    browser.evaluate("document.querySelector('#tab-forecast').click()")
    browser.evaluate("document.querySelector('#forecast .example').click()")
    assert settle(browser, "forecast", ".chosen") == "" and run(browser, "forecast") == ""
    assert result(browser, "forecast")["rows"] == 526


@case
def licences_of_all_parts(browser):
    text = browser.evaluate("document.querySelector('.licences').textContent")
    texts = [ROOT / "LICENSE", *(ROOT / "packaging/licenses" / f"{name}.txt" for name in
             ("jansson", "libcsv", "NLopt", "LGPL-2.1", "Random123", "zlib")), *(ROOT / "web/licenses").iterdir()]
    for path in texts:
        assert path.read_text() in text, path


@case
def keyboard_and_labels(browser):
    browser.evaluate("document.querySelector('#tab-forecast').focus()")
    browser.press("ArrowRight")
    assert browser.evaluate("document.activeElement.id") == "tab-identify"
    assert browser.evaluate("document.querySelector('#forecast').hidden")
    assert not browser.evaluate("document.querySelector('#identify').hidden")
    browser.press("Home")
    assert browser.evaluate("document.querySelector('#tab-forecast').getAttribute('aria-selected')") == "true"
    every = "[...document.querySelectorAll('{}')].every((one) => {})"
    assert browser.evaluate(every.format("input, select", "one.labels.length > 0"))
    assert browser.evaluate(every.format("svg", "one.getAttribute('aria-labelledby')"))
    assert browser.evaluate("document.querySelector('.running').getAttribute('aria-live')") == "polite"
    contrast = browser.evaluate("""(() => {
        const light = (text) => { const part = text.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
            .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2]; };
        const ground = (one) => { for (; one; one = one.parentElement) {
            const c = getComputedStyle(one).backgroundColor;
            if (c !== 'rgba(0, 0, 0, 0)') return c; } return 'rgb(255, 255, 255)'; };
        const texts = [...document.querySelectorAll(
            'p, label, button, th, td, dt, dd, h1, h2, caption, legend, summary')];
        return Math.min(...texts.filter((one) => one.offsetParent && !one.disabled).map((one) => {
            const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
            return (a + 0.05) / (b + 0.05); })); })()""")
    print(f"# smallest contrast of texts {contrast:.2f}")
    assert contrast >= 4.5 # WCAG 2, level AA


@case
def works_from_a_server_without_requests(browser):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Quiet, directory=str(PAGE.parent))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser.open(f"http://127.0.0.1:{server.server_port}/{PAGE.name}")
    server.shutdown()
    browser.call("Network.emulateNetworkConditions", offline=True, latency=0,
                 downloadThroughput=0, uploadThroughput=0)
    browser.events.clear()
    browser.evaluate("document.querySelector('#forecast .example').click()")
    assert settle(browser, "forecast", ".chosen") == "" and run(browser, "forecast") == ""
    asked = [event["params"]["request"]["url"] for event in browser.events
             if event.get("method") == "Network.requestWillBeSent"]
    assert all(url.startswith(("blob:", "data:")) for url in asked), asked


def main():
    print(f"# seed {SEED}\n1..{len(CASES)}")
    browser, failed = Browser(), 0
    for number, function in enumerate(CASES, 1):
        try:
            function(browser)
            print(f"ok {number} - {function.__name__}", flush=True)
        except (AssertionError, RuntimeError, subprocess.CalledProcessError) as fault:
            failed += 1
            print(f"not ok {number} - {function.__name__}: {fault!r}", flush=True)
    for event in browser.events:
        if event.get("method") == "Runtime.exceptionThrown":
            failed += 1
            print(f"# exception in the page: {event['params']['exceptionDetails']['text']}")
    browser.close()
    for path in FOLDER.iterdir():
        path.unlink()
    FOLDER.rmdir()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
