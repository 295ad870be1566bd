# scripts/fresh_root.sh: minimal root file systems for installation tests; sourced by wheel.sh and deb.sh.
#
#   fresh_root NAME PACKAGE...     build/roots/NAME: this release of Debian, what every system has, and PACKAGES
#   in_root NAME COMMAND...        run it there, with network
#   in_root_offline NAME COMMAND...
#
# Requires root. The result of mmdebstrap is cached as build/roots/NAME.tar, and every call of fresh_root starts
# from it.
roots=$PWD/build/roots

need_root()
{
    [ "$(id -u)" -eq 0 ] || { echo "$(basename "$0"): a fresh system is tried with chroot, which needs root" >&2; exit 1; }
}

fresh_root()
{
    local name=$1 packages
    shift
    need_root
    mkdir -p "$roots"
    if [ ! -e "$roots/$name.tar" ]; then
        packages=$(IFS=,; echo "$*")
        (. /etc/os-release && mmdebstrap --quiet --aptopt='Acquire::Retries "5"' --variant=minbase ${packages:+--include="$packages"} \
            "$VERSION_CODENAME" "$roots/$name.partial.tar") || return 1
        mv "$roots/$name.partial.tar" "$roots/$name.tar"
    fi
    rm -rf "${roots:?}/$name" && mkdir "$roots/$name" && tar -C "$roots/$name" -xf "$roots/$name.tar" || return 1
    cp /etc/resolv.conf "$roots/$name/etc/" 2>/dev/null || true
}

# Uses a separate mount namespace, so that mounts end with the command. The root is a mount point, so that the command
# can create such a namespace too.
enter_root() # UNSHARE-OPTION NAME COMMAND...
{
    local option=$1 name=$2
    shift 2
    # shellcheck disable=SC2016 # expanded in the inner shell
    unshare --mount $option sh -c '
        root=$1 && shift
        mount --bind "$root" "$root" && mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
            mount -t tmpfs tmpfs "$root/tmp" || exit 1
        exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            chroot "$root" "$@"' sh "$roots/$name" "$@"
}
in_root() { enter_root "" "$@"; }
in_root_offline() { enter_root --net "$@"; }
