"""scripts/mutation/tree.py: a copy of the tree that holds all mutants at once, compiled once.

A mutant is a choice at run time: VOLT_MUTANT(17) is true in the process whose environment says VOLT_MUTANT=17. With
VOLT_MUTANT_TRACE=FILE the numbers of the mutants that the process comes to are added to FILE, so that a mutant need only be
tried on the tests that reach it.
"""

import math
import os
import random
import re
import shutil
import subprocess
from concurrent.futures import ProcessPoolExecutor

from .mutants import Draw, Mutant, digest

MUTANT_HEADER = "src/volt_mutant.h"
HEADER = """/* Made by scripts/mutate.py. A copy in every mutated file, so that it works across libraries. System calls by
 * number: the tests that make files fail must not meet these. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int volt_mutant;
static unsigned char volt_mutant_known[%(count)d];

__attribute__((constructor)) static void volt_mutant_start(void)
{
    const char *number = getenv("VOLT_MUTANT");
    volt_mutant = number ? atoi(number) : getenv("VOLT_MUTANT_TRACE") ? -1 : 0;
}

__attribute__((unused, noinline, cold)) static int volt_mutant_seen(int number)
{
    if (volt_mutant_known[number])
        return 0;
    volt_mutant_known[number] = 1;
    char line[16];
    int length = 0;
    for (int rest = number; rest; rest /= 10)
        length++;
    line[length] = '\\n';
    for (int i = length - 1, rest = number; i >= 0; i--, rest /= 10)
        line[i] = (char)('0' + rest %% 10);
    const char *path = getenv("VOLT_MUTANT_TRACE");
    long file = path ? syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (file >= 0) {
        syscall(SYS_write, file, line, (size_t)length + 1);
        syscall(SYS_close, file);
    }
    return 0;
}

#define VOLT_MUTANT(k) (volt_mutant == (k) || (volt_mutant < 0 && volt_mutant_seen(k)))
"""


# ---- the copy -----------------------------------------------------------------------------------
def tracked_files(root):
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, check=True,
                           capture_output=True).stdout.decode().split("\0")
    return [n for n in names if n and (root / n).is_file()]


def refresh(root, tree, wanted):
    """Copy what differs, so that nothing is compiled without need; remove what is gone."""
    names = {n for n in tracked_files(root) if wanted(n)}
    for name in names:
        target = tree / name
        data = (root / name).read_bytes()
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            shutil.copymode(root / name, target)
    for path in [p for p in tree.rglob("*") if p.is_file()]:
        name = str(path.relative_to(tree))
        if wanted(name) and name not in names:
            path.unlink()


# ---- drawing ------------------------------------------------------------------------------------
def folder_of(name):
    parts = name.split("/")
    return "cli" if parts[0] == "cli" else "/".join(parts[:2])


def compile_arguments(command):
    words = command.split()
    kept, i = [], 0
    while i < len(words):
        if words[i].startswith(("-I", "-D")):
            kept.append(words[i].replace('\\"', '"'))
        elif words[i] == "-isystem":
            kept += words[i:i + 2]
            i += 1
        i += 1
    return kept + ["-std=gnu11", "-fopenmp", "-w", "-ferror-limit=0"]


def sites_of_command(job):
    from .sites import sites_of  # libclang is needed to draw, not to build

    path, name, arguments, error_header = job
    try:
        return name, sites_of(path, name, arguments, error_header), None
    except ValueError as error:
        return name, [], str(error)


def all_sites(tree, commands, folders, include, jobs):
    """Per folder, of `folders` alone where there are any; and what did not parse."""
    work = {}
    for entry in commands:
        name = os.path.relpath(entry["file"], tree)
        if re.match(r"(src|cli)/", name) and name != "cli/main.c" and (not folders or folder_of(name) in folders):
            arguments = compile_arguments(entry["command"]) + ["-isystem", include]
            work[name] = (entry["file"], name, arguments, str(tree / "src/base/error.h"))
    found, faults = {}, []
    with ProcessPoolExecutor(jobs) as pool:
        for name, sites, fault in pool.map(sites_of_command, [work[name] for name in sorted(work)]):
            found.setdefault(folder_of(name), []).extend(sites)
            if fault:
                faults.append(fault)
    return found, faults


def shares(found, count):
    """How many of each folder: in the ratio of the roots of their sizes, so that the small ones are heard too."""
    weights = {folder: math.sqrt(len(sites)) for folder, sites in found.items()}
    total = sum(weights.values())
    return {folder: math.ceil(count * weight / total) for folder, weight in weights.items()}


def draw(root, found, count, seed):
    """At random; no two that overlap. One site has several mutants: places are drawn first, then what happens there."""
    source = random.Random(seed)
    mutants = []
    for folder, wanted in sorted(shares(found, count).items()):
        places = {}
        for site in found[folder]:
            places.setdefault((site.path, site.begin, site.end), []).append(site)
        order = sorted(places)
        source.shuffle(order)
        chosen = []
        for place in order:
            if len(chosen) == wanted:
                break
            site = source.choice(sorted(places[place], key=lambda s: s.after))
            if not any(site.overlaps(other) for other in chosen):
                chosen.append(site)
        mutants += [(folder, site) for site in sorted(chosen, key=lambda s: (s.path, s.begin))]
    numbered = [Mutant(k + 1, folder, site) for k, (folder, site) in enumerate(mutants)]
    return Draw(seed, numbered, {m.site.path: digest(root / m.site.path) for m in numbered})


# ---- writing ------------------------------------------------------------------------------------
def mutated(site, number, text):
    """The text of the site with the choice in it."""
    if not site.after:
        return f"{{ if (!VOLT_MUTANT({number})) {text} }}"
    return f"(VOLT_MUTANT({number}) ? ({site.after}) : ({text}))"


def plant(root, tree, drawn):
    """Write the mutated files of src/ and cli/, the others as they are. A file that has changed since its mutants were drawn
    goes without them."""
    by_path = {}
    for mutant in drawn.mutants:
        if digest(root / mutant.site.path) == drawn.sources[mutant.site.path]:
            by_path.setdefault(mutant.site.path, []).append(mutant)
    header = tree / MUTANT_HEADER
    write_if_new(header, HEADER % {"count": max(m.number for m in drawn.mutants) + 1})
    for name in tracked_files(root):
        if not re.match(r"(src|cli)/.*\.c$", name):
            continue
        source = (root / name).read_bytes()
        for mutant in sorted(by_path.get(name, []), key=lambda m: -m.site.begin):
            site = mutant.site
            piece = source[site.begin:site.end].decode()
            source = source[:site.begin] + mutated(site, mutant.number, piece).encode() + source[site.end:]
        text = source.decode()
        if name in by_path:
            text = with_include(text, os.path.relpath(header, (tree / name).parent))
        write_if_new(tree / name, text)


def with_include(text, header):
    """Adds an #include after the last one before any code: feature macros must come first."""
    last = 0
    for match in re.finditer(r"^#include .*$|^[a-z].*[;{]$", text, re.M):
        if not match.group().startswith("#include"):
            break
        last = match.end()
    # If the #include is between #if and #endif, continue after the #endif.
    depth = len(re.findall(r"^#if", text[:last], re.M)) - len(re.findall(r"^#endif", text[:last], re.M))
    if depth > 0:
        last = [m.end() for m in re.finditer(r"^#endif.*$", text, re.M) if m.end() > last][depth - 1]
    return text[:last] + f'\n#include "{header}"' + text[last:]


def write_if_new(path, text):
    data = text.encode()
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
