// web/page.js: forms, results and keyboard of the page. Every number comes from the program in the worker.
"use strict";

const MAX_BYTES = 50e6; // of a file
const MAX_SHOWN = 1000; // rows of a table

// ---- worker --------------------------------------------------------------------------------------

const Engine = (() => {
    let worker = null, waiting = new Map(), next = 1;

    function begin() {
        const text = document.getElementById("worker").textContent;
        worker = new Worker(URL.createObjectURL(new Blob([text], {type: "text/javascript"})));
        worker.onmessage = ({data}) => {
            const call = waiting.get(data.id);
            if (!call) return;
            if (data.kind === "progress") return call.progress && call.progress(data.stage, data.fraction);
            waiting.delete(data.id);
            call.resolve(data);
        };
        worker.onerror = (event) => {
            event.preventDefault();
            end("the computation cannot start in this browser: " + event.message);
        };
    }

    // Ends the worker; pending calls are answered with the reason.
    function end(reason) {
        if (worker) worker.terminate();
        worker = null;
        for (const call of waiting.values()) call.resolve({status: -1, output: "", messages: [reason]});
        waiting = new Map();
    }

    function call(message, progress, transfer) {
        if (!worker) begin();
        const id = next++;
        return new Promise((resolve) => {
            waiting.set(id, {resolve, progress});
            worker.postMessage({...message, id}, transfer || []);
        });
    }

    return {call, end};
})();

// ---- elements ------------------------------------------------------------------------------------

function make(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
}

const show = (value) =>
    value === null || value === undefined || !Number.isFinite(value) ? "–" : Plot.number(value);

// rows: [[header, cell, ...], ...]; best: index of the row in bold.
function table(caption, head, rows, best) {
    const body = make("tbody");
    rows.forEach((row, i) => {
        const line = make("tr", {className: i === best ? "best" : ""});
        row.forEach((cell, j) => {
            const made = make(j === 0 ? "th" : "td", {}, cell);
            if (j === 0) made.scope = "row";
            line.append(made);
        });
        body.append(line);
    });
    const header = make("tr");
    for (const text of head) header.append(make("th", {scope: "col"}, text));
    return make("div", {className: "scroll", tabIndex: 0, role: "region", ariaLabel: caption},
                make("table", {}, make("caption", {}, caption), make("thead", {}, header), body));
}

function figures(entries) {
    const list = make("dl", {className: "figures"});
    for (const [name, value] of entries)
        list.append(make("div", {}, make("dt", {}, name), make("dd", {}, value)));
    return list;
}

function download(name, text, type) {
    const link = make("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const quote = (word) => /^[\w./:=,-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
const isWarning = (line) => line.startsWith("volterra: warning: ");
// Without the name of the command; hints at options, which the page does not have, name its fields.
const unprefixed = (line) =>
    line.replace(/^volterra( [a-z]+)?: /, "")
        .replace(/^warning: /, "")
        .replace(/ \(--missing [^()]*\)/g, ": choose another treatment under \u201cMissing values\u201d")
        .replace(/ \([^()]*--[^()]*\)/g, "");
const cell = (value) =>
    /[",\n]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value; // of a CSV file
// A name with a comma is chosen by a pattern, because commas separate names.
const column = (name) => name.includes(",") ? name.replace(/[,*?[\]\\]/g, "?") : name;

// ---- one tab -------------------------------------------------------------------------------------

class Task {
    constructor(name) {
        this.name = name;
        this.panel = document.getElementById(name);
        this.form = this.panel.querySelector("form");
        this.file = null; // {name: in the worker, shown: of the user, bytes}
        this.data = null; // columns
        const input = this.panel.querySelector("input[type=file]");
        const drop = this.panel.querySelector(".drop");
        input.addEventListener("change", () => input.files[0] && this.open(input.files[0]));
        input.addEventListener("click", () => input.value = ""); // a file that was changed can be chosen again
        drop.addEventListener("dragover", (event) => {
            event.preventDefault();
            drop.classList.add("over");
        });
        drop.addEventListener("dragleave", () => drop.classList.remove("over"));
        drop.addEventListener("drop", (event) => {
            event.preventDefault();
            drop.classList.remove("over");
            if (input.disabled || !event.dataTransfer.files[0]) return;
            input.value = "";
            this.open(event.dataTransfer.files[0]);
        });
        this.panel.querySelector(".example").addEventListener("click", () => {
            const example = document.getElementById("example-" + name);
            input.value = "";
            this.open(new File([example.textContent], example.dataset.name));
        });
        this.form.addEventListener("submit", (event) => {
            event.preventDefault();
            this.run();
        });
        this.panel.querySelector(".cancel").addEventListener("click", () => Engine.end("cancelled"));
    }

    part(selector) { return this.panel.querySelector(selector); }

    // Reports that a file cannot be used. No earlier file remains.
    refuse(lines) {
        this.complain(lines);
        this.file = this.data = null;
    }

    complain(lines) {
        const box = this.part(".error[role=alert]");
        box.textContent = lines.map(unprefixed)
                              .map((line) => this.file ? line.replaceAll(this.file.name, this.file.shown) : line)
                              .join(" ");
        box.hidden = lines.length === 0;
    }

    busy(text) {
        const running = this.part(".running"), bar = running.querySelector("progress");
        running.hidden = !text;
        running.querySelector("span").textContent = text || "";
        bar.removeAttribute("value");
        for (const control of this.panel.querySelectorAll("button:not(.cancel), input[type=file]"))
            control.disabled = Boolean(text);
        this.part(".cancel").hidden = !text;
        this.panel.setAttribute("aria-busy", String(Boolean(text)));
    }

    // Progress is announced in steps of a fifth, so that a screen reader is not interrupted all the time.
    progress(stage, fraction) {
        const running = this.part(".running");
        running.querySelector("progress").value = fraction;
        const text = `${Math.floor(fraction * 5) * 20} % done: ${stage}`;
        if (running.querySelector("span").textContent !== text)
            running.querySelector("span").textContent = text;
    }

    // Opens the file in the worker, again after a cancelled run.
    send() {
        const bytes = this.file.bytes.slice(0);
        return Engine.call({kind: "open", name: this.file.name, bytes}, null, [bytes]);
    }

    async open(file) {
        this.complain([]);
        this.part(".chosen").hidden = true;
        this.part(".result").hidden = true;
        this.file = this.data = null;
        if (file.size > MAX_BYTES)
            return this.refuse([`${file.name} has ${Math.ceil(file.size / 1e6)} MB: this page reads at most ${
                MAX_BYTES / 1e6} MB; use the program for larger files`]);
        let name = file.name.replace(/[^\w.-]/g, "_");
        if (!/\.(csv|txt|tsv|dat|npy)$/i.test(name)) name += ".csv";
        this.busy("reading " + file.name);
        const bytes = await file.arrayBuffer().catch(() => null); // a file may be deleted meanwhile
        let answer = {status: 1, messages: [`cannot read ${file.name}`]};
        if (bytes) {
            this.file = {name, shown: file.name, bytes};
            answer = await this.send();
        }
        this.busy("");
        if (answer.status !== 0) return this.refuse(answer.messages.filter((line) => !isWarning(line)));
        this.data = JSON.parse(answer.output);
        if (this.data.names.length === 0) return this.refuse([`${file.name} has no column of numbers`]);
        this.choose();
        this.part(".chosen").hidden = false;
        const {rows, first, times} = this.data;
        this.part(".source").textContent = `${file.name}: ${rows} rows` +
            (first === 0 && times.length > 0 ? `, ${times[0]} to ${times[rows - 1]}` : "") +
            (first > 0 ? `; the plot shows the last ${rows - first}` : "");
        this.preview();
    }

    // A box for each column; texts cannot be chosen.
    boxes(holder, isChosen) {
        holder.replaceChildren();
        this.data.names.forEach((name, j) => {
            const faulty = this.data.faulty[j];
            const box = make(
                "input", {type: "checkbox", value: name, checked: !faulty && isChosen(j), disabled: faulty});
            box.addEventListener("change", () => this.preview());
            holder.append(make("label", {}, box, this.title(name) + (faulty ? " (text)" : "")));
        });
        if (this.data.faulty.every(Boolean)) this.complain(["no column has numbers in every row"]);
    }

    // Columns without a header have numbers as names.
    title(name) { return this.data.header ? name : "column " + name; }

    checked(selector) {
        return [...this.panel.querySelectorAll(selector + " input:checked")].map((box) => box.value);
    }

    time(row) {
        const text = this.data.times[row - this.data.first];
        return text !== undefined ? text : String(row + 1);
    }

    // Whether a column counts the rows, as an index does.
    counts(j) {
        const column = this.data.columns[j];
        return column.length > 2 &&
               column.every((value, i) => i === 0 || value - column[i - 1] === column[1] - column[0]) &&
               column[1] !== column[0];
    }

    preview() {
        const shown =
            this.shown().slice(0, 4).map((name) => this.data.names.indexOf(name)).filter((j) => j >= 0);
        const holder = this.part(".data");
        holder.replaceChildren(...shown.map((j) => Plot.draw({
            title: this.title(this.data.names[j]),
            description: `${this.data.columns[j].length} rows of ${this.title(this.data.names[j])}`,
            lines: [{
                points: this.data.columns[j].map((value, i) => [i + this.data.first, value]),
                className: "history",
                name: this.title(this.data.names[j])
            }],
            label: (row) => this.time(row),
        })));
    }

    async run() {
        if (!this.data) return this.complain(["choose a file with numbers"]);
        const words = this.words(this.file.name);
        if (!words) return;
        const command = this.command(this.words(this.file.shown));
        this.complain([]);
        this.part(".result").hidden = true;
        this.busy("computing");
        const began = performance.now();
        let answer =
            await this.send(); // a cancelled run ended the worker, and the other tab may have opened a file
        if (answer.status === 0)
            answer = await Engine.call({kind: "run", words: [...words, ...this.extra(), "--json"]},
                                       (stage, fraction) => this.progress(stage, fraction));
        this.busy("");
        if (answer.status !== 0) {
            this.complain(answer.messages.filter((line) => !isWarning(line)).slice(-3));
            return this.part("[type=submit]").focus();
        }
        const result = this.part(".result");
        result.dataset.json = answer.output;
        result.dataset.seconds = ((performance.now() - began) / 1000).toFixed(3);
        result.replaceChildren(...this.report(JSON.parse(answer.output)),
                               ...this.remarks(JSON.parse(answer.output), answer.messages),
                               command);
        result.hidden = false;
        const heading = result.querySelector("h2");
        heading.tabIndex = -1;
        heading.focus();
    }

    remarks(found, messages) {
        const texts =
            (found.warnings || [])
                .map((warning) =>
                         typeof warning === "string"
                             ? warning
                             : warning.text + (warning.baseline ? `: ${warning.baseline} has ${
                                                                      show(warning.ratio)} of the squared error`
                                                                : ""));
        texts.push(...messages.filter((line) => line.trim()).map(unprefixed));
        if (found.rows_left_out > 0)
            texts.push(`the forecast uses the latest ${found.rows} of ${found.rows + found.rows_left_out} rows`);
        return texts.length === 0 ? [] : [make("ul", {className: "warnings", ariaLabel: "Warnings"},
                                               ...texts.map((text) => make("li", {}, text)))];
    }

    // Arguments in the page only.
    extra() { return []; }

    // A table of values with a button that saves all rows; `head` has a name for each cell of a row.
    values(caption, head, rows, suffix) {
        const shown = rows.slice(0, MAX_SHOWN);
        const save = make("button", {type: "button", className: "plain"}, "Save as CSV");
        const name = this.file.shown.replace(/\.[^.]*$/, "") + suffix;
        const text = (value) => value === null ? "" : cell(String(value));
        save.addEventListener(
            "click",
            () => download(name, [head, ...rows].map((row) => row.map(text).join(",")).join("\n") + "\n",
                           "text/csv"));
        return make(
            "details", {}, make("summary", {}, "Values"),
            table(caption + (shown.length < rows.length ? `, the first ${shown.length} of ${rows.length} rows` : ""),
                  head, shown.map(([first, ...numbers]) => [first, ...numbers.map(show)])),
            save);
    }

    command(words) {
        return make("details", {}, make("summary", {}, "The same in the program"),
                    make("pre", {}, ["volterra", ...words].map(quote).join(" ")));
    }
}

// ---- forecast ------------------------------------------------------------------------------------

class Forecast extends Task {
    choose() {
        const usual = this.data.names.findIndex((_, j) => !this.data.faulty[j] && !this.counts(j));
        this.boxes(this.part(".columns"), (j) => j === usual);
    }

    shown() { return this.checked(".columns"); }

    words(file) {
        const series = this.shown(), {steps, season, missing} = this.form.elements;
        if (series.length === 0) {
            this.complain(["choose at least one series"]);
            return null;
        }
        const words = ["forecast", `${file}:${series.map(column).join(",")}`, "--interval", "0.8,0.95"];
        if (steps.value) words.push("--steps", steps.value);
        if (season.value && season.value !== "auto") words.push("--season", season.value);
        if (missing.value !== "error") words.push("--missing", missing.value);
        return words;
    }

    report(found) {
        const parts = [make("h2", {}, "Forecast")], rows = this.data.rows, chosen = this.shown();
        const label = (row) => row < rows   ? this.time(row)
                               : found.time ? found.time[row - rows]
                                            : String(row + 1);
        found.names.forEach((internal, k) => {
            const name = this.title(chosen[k]);
            const series = found.series[k], column = this.data.columns[this.data.names.indexOf(chosen[k])];
            const kept = Math.min(column.length, Math.max(48, 4 * found.steps, 4 * series.season));
            const history = column.slice(-kept).map((value, i) => [rows - kept + i, value]);
            const values = found.forecast.map((row, h) => [rows + h, row[k]]);
            const last = history.length ? [history[history.length - 1]] : [];
            const bands = found.intervals.slice().reverse().map(
                (interval) => ({
                    points: interval.lower.map((row, h) => [rows + h, row[k], interval.upper[h][k]]),
                    className: interval.coverage > 0.9 ? "wide" : "narrow",
                    name: `${Math.round(100 * interval.coverage)} % interval`,
                }));
            if (found.names.length > 1) parts.push(make("h3", {}, name));
            parts.push(figures([
                ["expected error (RMSE)", show(series.rmse)], ["MASE", show(series.mase)],
                ["season", series.season > 0 ? `${series.season} rows` : "none"],
                ["steps", `${found.steps}, ${label(rows)} to ${label(rows + found.steps - 1)}`]
            ]));
            parts.push(Plot.draw({
                title: `Forecast of ${name}`,
                description: `The last ${kept} rows, and ${found.steps} forecasts from ${
                    show(values[0][1])} to ${show(values[values.length - 1][1])}`,
                lines: [
                    {points: history, className: "history", name},
                    {points: last.concat(values), className: "forecast", name: "forecast"}
                ],
                bands,
                label,
                divider: rows - 1,
            }));
            const members = found.members.filter((member) => member.series === internal &&
                                                             (member.rmse !== null || member.weight > 0));
            parts.push(table(
                "Errors of forecasts from earlier rows", ["method", "RMSE", "weight"],
                [
                    ["forecast", show(series.rmse), ""],
                    ...members.map((member) => [member.name === "ets" && series.ets ? series.ets : member.name,
                                                show(member.rmse),
                                                member.weight > 0 ? member.weight.toFixed(2) : "baseline"])
                ],
                0));
        });
        parts.push(this.listing(found, label));
        return parts;
    }

    listing(found, label) {
        const rows = this.data.rows, head = [found.time ? "time" : "step"];
        for (const name of found.names) {
            head.push(name, name + ".error");
            for (const interval of found.intervals)
                head.push(`${name}.lo${100 * interval.coverage}`, `${name}.hi${100 * interval.coverage}`);
        }
        const cells = (h) => found.names.flatMap(
            (_, k) => [found.forecast[h][k], found.rmse[h][k],
                       ...found.intervals.flatMap((interval) => [interval.lower[h][k], interval.upper[h][k]])]);
        const first = (h) => found.time ? label(rows + h) : String(h + 1);
        return this.values("Forecast, expected error and ends of the intervals", head,
                           found.horizons.map((_, h) => [first(h), ...cells(h)]), "-forecast.csv");
    }
}

// ---- identification ------------------------------------------------------------------------------

class Identify extends Task {
    choose() {
        const usable = this.data.names.map((_, j) => j).filter((j) => !this.data.faulty[j] && !this.counts(j));
        const output = usable[usable.length - 1];
        this.boxes(this.part(".inputs"), (j) => usable.includes(j) && j !== output);
        this.boxes(this.part(".outputs"), (j) => j === output);
    }

    shown() { return [...this.checked(".inputs"), ...this.checked(".outputs")]; }

    words(file) {
        const inputs = this.checked(".inputs"), outputs = this.checked(".outputs"),
              {draws, missing} = this.form.elements;
        if (inputs.length === 0 || outputs.length === 0) {
            this.complain(["choose at least one input and one output"]);
            return null;
        }
        if (inputs.some((name) => outputs.includes(name))) {
            this.complain(["a column cannot be an input and an output"]);
            return null;
        }
        const words = [
            "identify", file, "--x", inputs.map(column).join(","), "--y", outputs.map(column).join(","),
            "--draws", draws.value
        ];
        if (missing.value !== "error") words.push("--missing", missing.value);
        return words.concat("-o", "model.safetensors");
    }

    // The measured and simulated rows, without the page of the report.
    extra() { return ["--report", "/dev/null"]; }

    command(words) { return super.command([...words, "--report", "report.html"]); }

    report(found) {
        const outputs = this.checked(".outputs"), test = found.diagnosis;
        const ratio = found.test_rmse / found.linear_test_rmse;
        const parts = [
            make("h2", {}, "Simulation of the test rows"), figures([
                ["free-run error (RMSE)", show(found.test_rmse)],
                ["linear model", show(found.linear_test_rmse)], ["relative to linear", show(ratio)],
                ["test rows", String(found.test_rows)]
            ])
        ];
        parts.push(
            make("p", {},
                 `The model simulates the last ${
                     found.test_rows} rows from the inputs only. These rows are held out.`));
        outputs.map((name) => this.title(name)).forEach((name, k) => parts.push(Plot.draw({
            title: `Measured and simulated ${name}`,
            description: `${test.measured.length} test rows; root mean squared error ${
                show(found.test_rmse)}, of the linear model ${show(found.linear_test_rmse)}`,
            lines: [
                {
                    points: test.measured.map((row, i) => [test.first_row + i, row[k]]),
                    className: "measured",
                    name: "measured " + name
                },
                {
                    points: test.simulated.map((row, i) => [test.first_row + i, row[k]]),
                    className: "simulated",
                    name: "simulated"
                }
            ],
            label: (row) => this.time(row),
        })));
        parts.push(table("Free runs: validation blocks and test rows",
                         ["family", "validation NMSE", "test RMSE"],
                         found.candidates.map((one) => [one.name, show(one.nmse), show(one.test_rmse)]),
                         found.candidates.findIndex((one) => one.name === found.chosen)));
        parts.push(figures([
            [
                "dead time", found.dead_time >= 0
                                 ? `${found.dead_time} ${found.dead_time === 1 ? "row" : "rows"}`
                                 : "none found"
            ],
            ["noise, at most", show(100 * found.noise) + " %"],
            ["nonlinearity, at least", show(100 * Math.max(0, found.nonlinearity)) + " %"]
        ]));
        const names = outputs.map((name) => this.title(name));
        parts.push(this.values(
            "Measured and simulated test rows",
            [this.data.times.length > 0 ? this.data.time : "row",
             ...names.flatMap((name) => [name + ".measured", name + ".simulated"])],
            test.measured.map((row, i) => [this.time(test.first_row + i),
                                           ...row.flatMap((value, k) => [value, test.simulated[i][k]])]),
            "-simulation.csv"));
        return parts;
    }
}

// ---- tabs ----------------------------------------------------------------------------------------

const tabs = [...document.querySelectorAll("[role=tab]")];

function select(tab, focus) {
    for (const one of tabs) {
        const on = one === tab;
        one.setAttribute("aria-selected", String(on));
        one.tabIndex = on ? 0 : -1;
        document.getElementById(one.getAttribute("aria-controls")).hidden = !on;
    }
    if (focus) tab.focus();
}

tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
        const to = {ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1}[event.key];
        if (to === undefined) return;
        event.preventDefault();
        select(tabs[(to + tabs.length) % tabs.length], true);
    });
});
new Forecast("forecast");
new Identify("identify");
document.documentElement.dataset.ready = "yes";
