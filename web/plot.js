// web/plot.js: line plots as SVG.
"use strict";

const Plot = (() => {
    const HEIGHT = 320, LEFT = 64, RIGHT = 12, TOP = 12, BOTTOM = 34;
    let WIDTH = 0; // of the window, so that texts keep their size
    const drawn = new WeakMap(); // options of the figures
    const width = () => Math.min(860, Math.max(340, document.documentElement.clientWidth - 32));

    const number = (value) => Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3)
                                  ? value.toExponential(2)
                                  : String(Number(value.toPrecision(4)));

    // Four to eight round numbers in [low, high].
    function ticks(low, high) {
        const span = high - low || Math.abs(high) || 1, rough = span / 5;
        const power = Math.pow(10, Math.floor(Math.log10(rough)));
        const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough);
        const found = [];
        for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * span; k++) found.push(k * step);
        return found;
    }

    function element(name, attributes, text) {
        const made = document.createElementNS("http://www.w3.org/2000/svg", name);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        if (text !== undefined) made.textContent = text;
        return made;
    }

    const isNumber = (value) => value !== null && Number.isFinite(value);

    // A path through the points that have a value; of many points the lowest and the highest for each half pixel.
    function path(points, x, y) {
        let text = "", pen = false;
        const put = ([at, value]) => {
            text += `${pen ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}${pen ? "" : "h0"}`;
            pen = true;
        };
        const size = Math.max(1, Math.ceil(points.length / (2 * WIDTH)));
        for (let i = 0; i < points.length; i += size) {
            const known = points.slice(i, i + size).filter(([, value]) => isNumber(value));
            if (known.length === 0) {
                pen = false;
                continue;
            }
            const low = known.reduce((a, b) => b[1] < a[1] ? b : a);
            const high = known.reduce((a, b) => b[1] > a[1] ? b : a);
            if (low[0] < high[0]) put(low);
            put(high);
            if (low[0] > high[0]) put(low);
        }
        return text;
    }

    // options: {title, description, lines: [{points, className, name}], bands: [{points: [[x, low, high]],
    // className, name}], label(x): text of the axis, divider: x}
    function draw(options) {
        WIDTH = width();
        const all = [], at = [];
        for (const line of options.lines)
            for (const [x, value] of line.points)
                if (isNumber(value)) {
                    all.push(value);
                    at.push(x);
                }
        for (const band of options.bands || [])
            for (const [x, low, high] of band.points)
                if (isNumber(low) && isNumber(high)) {
                    all.push(low, high);
                    at.push(x);
                }
        let low = Infinity, high = -Infinity, first = Infinity, last = -Infinity;
        for (const value of all) {
            low = Math.min(low, value);
            high = Math.max(high, value);
        }
        for (const value of at) {
            first = Math.min(first, value);
            last = Math.max(last, value);
        }
        if (!(low <= high)) {
            low = 0;
            high = 1;
            first = 0;
            last = 1;
        }
        const pad = (high - low || Math.abs(high) || 1) * 0.06;
        low -= pad;
        high += pad;
        if (first === last) last = first + 1;
        const x = (value) => LEFT + (value - first) / (last - first) * (WIDTH - LEFT - RIGHT);
        const y = (value) => HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM);

        const svg = element("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: "plot"});
        const id = "plot" + Math.random().toString(36).slice(2);
        svg.setAttribute("aria-labelledby", id + "t " + id + "d");
        svg.append(element("title", {id: id + "t"}, options.title),
                   element("desc", {id: id + "d"}, options.description));
        for (const value of ticks(low, high)) {
            svg.append(
                element("line", {x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: "grid"}));
            svg.append(element("text", {x: LEFT - 8, y: y(value) + 4, class: "tick", "text-anchor": "end"},
                               number(value)));
        }
        const longest =
            Math.max(options.label(first).length, options.label(last).length); // characters of about 7.5 units
        const count =
            Math.min(6, Math.max(2, Math.floor((WIDTH - LEFT) / (7.5 * longest + 40))), last - first + 1);
        const lines = count === 2 && 15 * longest + 20 > WIDTH - LEFT - RIGHT ? 2 : 1; // of the labels
        for (let k = 0; k < count; k++) {
            const value = Math.round(first + k * (last - first) / Math.max(1, count - 1));
            const anchor = k === 0 ? "start" : k === count - 1 ? "end" : "middle";
            const below = lines === 1 ? HEIGHT - 10 : HEIGHT - 18 + 15 * k;
            svg.append(element("text", {x: x(value), y: below, class: "tick", "text-anchor": anchor},
                               options.label(value)));
        }
        if (options.divider !== undefined)
            svg.append(element("line", {
                x1: x(options.divider),
                x2: x(options.divider),
                y1: TOP,
                y2: HEIGHT - BOTTOM,
                class: "divider"
            }));
        for (const band of options.bands || []) {
            const points = band.points.filter(([, a, b]) => isNumber(a) && isNumber(b));
            if (points.length === 0) continue;
            const forth = points.map(([p, a]) => `${x(p).toFixed(1)} ${y(a).toFixed(1)}`);
            const back = points.slice().reverse().map(([p, , b]) => `${x(p).toFixed(1)} ${y(b).toFixed(1)}`);
            svg.append(element("path", {d: "M" + forth.concat(back).join("L") + "Z", class: band.className}));
        }
        for (const line of options.lines)
            svg.append(element("path", {d: path(line.points, x, y), class: line.className}));

        const figure = document.createElement("figure");
        const legend = document.createElement("figcaption");
        for (const part of options.lines.concat(options.bands || [])) {
            if (!part.name) continue;
            const entry = document.createElement("span");
            const mark = document.createElement("span");
            mark.className = "mark " + part.className;
            mark.setAttribute("aria-hidden", "true");
            entry.append(mark, part.name);
            legend.append(entry);
        }
        figure.append(svg, legend);
        drawn.set(figure, options);
        return figure;
    }

    window.addEventListener("resize", () => {
        if (width() === WIDTH) return;
        for (const svg of document.querySelectorAll("svg.plot"))
            svg.parentElement.replaceWith(draw(drawn.get(svg.parentElement)));
    });

    return {draw, number};
})();
