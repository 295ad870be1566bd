#!/usr/bin/env bash
# scripts/site.sh: the documents, the program's help and the references of C and Python as one site, build/site.
#
# Needs no network. A warning of Doxygen or Sphinx fails the build, and so does a link that leads nowhere.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/deps.sh build site
cmake --preset default ${CMAKE_ARGS:+$CMAKE_ARGS} >/dev/null
cmake --build build --parallel "${JOBS:-2}" --target volterra_cli volterra

# System packages belong to the system Python, which need not be first in PATH.
python=python3
"$python" -c 'import sphinx, myst_parser, breathe, furo, numpy' 2>/dev/null || python=/usr/bin/python3

work=$PWD/build/site-work
rm -rf "$work" build/site
mkdir -p "$work/static/katex/fonts"
export VOLTERRA_ROOT=$PWD VOLTERRA_SITE_WORK=$work
export PYTHONPATH=$PWD/python VOLTERRA_LIBRARY=$PWD/build/libvolterra.so PYTHONDONTWRITEBYTECODE=1

# The browser renders formulas with the KaTeX of the system.
cp -L /usr/share/javascript/katex/katex.min.{js,css} "$work/static/katex"
cp -L /usr/share/javascript/katex/fonts/*.woff2 "$work/static/katex/fonts"
cp -L /usr/share/doc/libjs-katex/copyright "$work/static/katex/copyright.txt"

"$python" docs/site/stage.py . "$work/source"
"$python" docs/site/program_reference.py build/volterra "$work/source/commands"
"$python" docs/site/python_reference.py "$work/source/python"
"$python" docs/site/c_reference.py headers include "$work/headers"
doxygen docs/site/Doxyfile
"$python" docs/site/c_reference.py pages include "$work/headers" "$work/xml" "$work/source/c"

"$python" -m sphinx -b html -c docs/site -d "$work/doctrees" -q -W --keep-going "$work/source" build/site
if [ -e build-web/volterra.html ]; then # of make web
    cp build-web/volterra.html build/site
fi
"$python" docs/site/check_site.py build/site
echo "site: build/site/index.html"
