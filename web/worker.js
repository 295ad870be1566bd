// web/worker.js: runs commands of the program on a file of the user, beside the page.
//
// Messages in:  {id, kind: "open", name, bytes}   writes the file and lists its columns
//               {id, kind: "run", words}          a command and its arguments
// Messages out: {id, kind: "progress", stage, fraction}
//               {id, kind: "done", status, output, messages}
"use strict";

let starting = null;
let current = 0;
let output = [];
let messages = [];

async function unpack(text) {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
}

// A line of progress, or a message.
function complain(line) {
    const found = /^volterra \w+: (\d+)% done(?: \((.*?)\))?(?:, about .*? left)?(?:: (.*))?$/.exec(line);
    if (!found && !/^volterra \w+: warning: /.test(line)) messages.push(line); // the results list these warnings
    if (found) postMessage({id: current, kind: "progress", stage: found[2] || found[3], fraction: found[1] / 100});
}

function start() {
    starting = starting || unpack(PACKED_WASM)
                               .then((binary) => createVolterra({
                                         wasmBinary: binary,
                                         print: (line) => output.push(line),
                                         printErr: complain,
                                     }))
                               .then((module) => {
                                   module.FS.mkdir("/data");
                                   module.FS.chdir("/data");
                                   return module;
                               });
    return starting;
}

onmessage = async (event) => {
    const request = event.data;
    let status = 1;
    current = request.id;
    output = [];
    messages = [];
    try {
        const module = await start();
        let words = request.words;
        if (request.kind === "open") {
            for (const name of module.FS.readdir("/data"))
                if (name !== "." && name !== "..") module.FS.unlink("/data/" + name);
            module.FS.writeFile("/data/" + request.name, new Uint8Array(request.bytes));
            words = ["table", request.name];
        }
        status = module.ccall("web_run", "number", ["string"], [words.join("\n")]);
    } catch (error) {
        messages.push("the computation stopped: " + error.message);
        starting = null; // its memory may be inconsistent
    }
    postMessage({id: request.id, kind: "done", status, output: output.join("\n"), messages});
};
