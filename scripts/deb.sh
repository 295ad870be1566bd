#!/usr/bin/env bash
# scripts/deb.sh: build the Debian packages and test them in a minimal root. Called by `make deb`.
#
#   scripts/deb.sh              build/deb: libvolterra1, libvolterra-dev, volterra, python3-volterra, the source
#                               package; lintian; then they are installed in a bare root, and used there
#   scripts/deb.sh --build      without the fresh system
#
# packaging/debian/ holds what is Debian's; the changelog is made here, with the version of CMakeLists.txt. The revision
# 0volterra1 comes before the first that Debian itself would give.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/fresh_root.sh

work=$PWD/build/deb
version=$(sed -n 's/^project(volterra VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
tree=$work/volterra-$version

copy_of_checkout()
{
    rm -rf "$work" && mkdir -p "$tree"
    git ls-files -z --cached --others --exclude-standard -- . ':!packaging/debian' |
        while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
        tar --null -T - -cf - | tar -C "$tree" -xf -
    tar -C "$work" --sort=name --owner=0 --group=0 -cJf "$work/volterra_$version.orig.tar.xz" "volterra-$version"
    cp -r packaging/debian "$tree/debian"
    {
        echo "volterra ($version-0volterra1) unstable; urgency=medium"
        printf '\n  * Version %s; see CHANGELOG.md.\n\n' "$version"
        sed -n "s/^Maintainer: \(.*\)/ -- \1  $(git log -1 --format=%cD)/p" packaging/debian/control
    } >"$tree/debian/changelog"
}

build_packages()
{
    (cd "$tree" && DEB_BUILD_OPTIONS="parallel=${JOBS:-$(nproc)}" dpkg-buildpackage -F -us -uc) >"$work/log" 2>&1 ||
        { tail -n 40 "$work/log"; return 1; }
    ls -l "$work"/*.deb
}

check_packages() { lintian --fail-on error,warning --info --tag-display-limit 0 --allow-root "$work"/*.changes; }

# In a minimal root: first the program with its dependencies, then Python, then a C program compiled there.
try_packages()
{
    fresh_root deb
    mkdir "$roots/deb/packages"
    cp "$work"/*.deb tests/install/consumer/consumer.c bench/series/co2_monthly.csv "$roots/deb/packages/"
    in_root deb sh -ec '
        export DEBIAN_FRONTEND=noninteractive
        get="apt-get install -q -y --no-install-recommends"
        cd /packages
        apt-get update -q
        $get ./volterra_*.deb ./libvolterra1_*.deb
        volterra info
        volterra forecast co2_monthly.csv --steps 3 -o /tmp/forecast.csv
        $get ./python3-volterra_*.deb
        cd /tmp
        python3 -c "
import numpy, volterra
x = volterra.datasets.lorenz(1500)
path = volterra.VolterraRidge(tau_coef=0.3, lambda_coef=0.3, alpha=1e-8, washout=50).fit(x[:1400]).continue_(100)
print(\"Python: volterra\", volterra.__version__, \"NMSE\", volterra.metrics.nmse(x[1400:], path))"
        cd /packages
        $get ./libvolterra-dev_*.deb gcc libc6-dev pkg-config
        cc consumer.c -o /tmp/consumer $(pkg-config --cflags --libs volterra) -lm
        /tmp/consumer
        dpkg -l | awk "/volterra|openblas/ { print \$2, \$3 }"
        dpkg -L volterra libvolterra-dev | grep -vE "^/(usr|usr/share|usr/lib|\.)$"'
}

scripts/deps.sh build deb
copy_of_checkout
build_packages
check_packages
[ "${1:-}" != --build ] || exit 0
try_packages
echo "deb: version $version, tried on a fresh system"
