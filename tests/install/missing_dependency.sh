# tests/install/missing_dependency.sh: behaviour of make targets when a dependency is missing; read by run.sh.
#
# A folder in front of PATH pretends that NLopt is missing: its pkg-config denies it until its package manager was
# asked to install something. sudo, the package manager and cmake only write down that they were called.

pretended=$scratch/pretended
calls=$pretended/calls
manager=
for candidate in apt-get dnf pacman zypper apk brew; do
    [ -n "$manager" ] || ! command -v "$candidate" >/dev/null || manager=$candidate
done

# pretend PROGRAM LINES: a program in front of PATH, a shell script of those lines
pretend()
{
    printf '#!/bin/sh\n%s\n' "$2" >"$pretended/bin/$1"
    chmod +x "$pretended/bin/$1"
}

pretend_missing()
{
    rm -rf "$pretended"
    mkdir -p "$pretended/bin"
    : >"$calls"
    pretend pkg-config "case \"\$*\" in *nlopt*) [ -e '$pretended/installed' ] || exit 1 ;; esac
exec '$(command -v pkg-config)' \"\$@\""
    pretend sudo "echo sudo \"\$@\" >>'$calls'; exec \"\$@\""
    pretend cmake "case \"\$*\" in --version) exec '$(command -v cmake)' --version ;; esac
echo cmake \"\$@\" >>'$calls'; exit 1"
    [ -z "$manager" ] || pretend "$manager" "echo '$manager' \"\$@\" >>'$calls'
case \"\$*\" in *nlopt* | *NLopt*) : >'$pretended/installed' ;; esac"
}

# make_there TARGET: its output goes to a file; returns its status
make_there() { PATH=$pretended/bin:$PATH make -C "$root" --no-print-directory "$1" >"$pretended/output" 2>&1; }

build_installs_nothing()
{
    pretend_missing
    ! make_there build || return 1
    cat "$pretended/output" "$calls"
    grep -q NLopt "$pretended/output" && grep -q 'make deps' "$pretended/output" && [ ! -s "$calls" ]
}

# On request it installs the missing packages and then builds, which this cmake rejects.
demo_installs_by_itself()
{
    pretend_missing
    ! make_there demo || return 1
    cat "$pretended/output" "$calls"
    grep -qi "^$manager .*nlopt" "$calls" && grep -q '^cmake ' "$calls"
}

check "make build names what is missing, and installs nothing" build_installs_nothing
[ -z "$manager" ] || check "make demo installs what is missing by itself" demo_installs_by_itself
