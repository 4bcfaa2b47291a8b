#!/bin/bash
# README's two commands on an empty Debian: what debootstrap --variant=minbase makes, and the tree.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: xt/empty_chroot.sh [OPTION...] [COMMAND...]

Makes an empty Debian (no perl modules, no compiler, no git, no locale, no terminal), copies what
is committed into it, and runs COMMANDs there as root, each by bash, from the top of the tree;
without one, the commands that README.md tells people to try, word by word.
  --suite NAME   release of Debian (bookworm)
  --user         as a user, who is neither root nor has sudo
  --with FILE    copy this file, too, into the home directory; may be repeated
  --keep         leave the system behind, and say where

Exit status: 0 if all commands passed, 1 if one failed, 2 usage, 3 no system could be made.
Needs root, debootstrap and git. Files: ${PERMAFROST_MATRIX:-/var/cache/permafrost-matrix} keeps
the empty system, as a tar file, which is made anew when it is gone. What each command printed is there, too; the rows name the files.
USAGE
}

suite=bookworm keep='' user=root with=()
while [ $# -gt 0 ]; do
    case $1 in
        --suite) suite=${2:?--suite needs a name}; shift ;;
        --user)  user=visitor ;;
        --with)  with+=("$(realpath "${2:?--with needs a file}")"); shift ;;
        --keep)  keep=1 ;;
        -h|--help) usage; exit 0 ;;
        -*)      usage >&2; exit 2 ;;
        *)       break ;;
    esac
    shift
done

cd "$(dirname "$0")/.."
fail() { echo "empty_chroot.sh: $*" >&2; exit 3; }
[ "$(id -u)" = 0 ] || fail 'needs root'
for program in debootstrap git; do
    command -v "$program" >/dev/null || fail "needs $program"
done

if [ $# -gt 0 ]; then
    commands=("$@")
else
    mapfile -t commands < <(sed -n '/^## Try it/,/^## [^T]/s/^    \([^#]*[^# ]\) *\(#.*\)\{0,1\}$/\1/p' README.md |
                            grep '^dev/')
    [ ${#commands[@]} = 2 ] || fail "README.md has ${#commands[@]} commands under 'Try it', not 2"
fi

cache=${PERMAFROST_MATRIX:-/var/cache/permafrost-matrix}
mkdir -p "$cache"
image=$cache/empty-$suite.tar.gz
if [ ! -f "$image" ]; then
    made=$(mktemp -d "$cache/empty.XXXXXX")
    debootstrap --variant=minbase "$suite" "$made" >"$cache/empty-$suite.log" 2>&1 ||
        { tail -n 3 "$cache/empty-$suite.log" >&2; rm -rf "$made"; fail "debootstrap: see $cache/empty-$suite.log"; }
    tar -C "$made" --one-file-system -czf "$image.new" . && mv "$image.new" "$image"
    rm -rf "$made"
fi

root=$(mktemp -d "$cache/empty.XXXXXX")
mounted=()
leave() {
    local place
    for place in "${mounted[@]}"; do umount "$place" || umount -l "$place" || true; done
    mounted=()
    # Never through a mount that has stayed.
    if grep -q " $root/" /proc/mounts; then echo "empty_chroot.sh: still mounted: $root" >&2; return; fi
    [ -n "$keep" ] && echo "kept: $root" || rm -rf --one-file-system "$root"
}
trap leave EXIT
trap 'exit 1' INT TERM

tar -C "$root" -xzf "$image"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc" && mounted+=("$root/proc")
# The usual devices, also where none could be made.
[ -c "$root/dev/null" ] || { mount --bind /dev "$root/dev" && mounted+=("$root/dev"); }
home=/root
if [ "$user" != root ]; then
    home=/home/$user
    chroot "$root" useradd -m "$user"
fi
mkdir -p "$root$home/permafrost"
git archive HEAD | tar -C "$root$home/permafrost" -x
[ ${#with[@]} = 0 ] || cp "${with[@]}" "$root$home"
[ "$user" = root ] || chroot "$root" chown -R "$user" "$home"

# env -i: not a word of this machine's settings. No terminal, and nothing to read.
inside() {
    local as=()
    [ "$user" = root ] || as=(runuser -u "$user" --)
    env -i PATH="$PATH" chroot "$root" /usr/bin/env HOME="$home" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        "${as[@]}" bash -c "cd ~/permafrost && $1" </dev/null
}

printf '%s, %s packages, as %s, commit %s%s\n' "$suite" "$(inside "dpkg-query -W | wc -l")" "$user" \
    "$(git rev-parse --short HEAD)" "$(git diff --quiet HEAD || echo ' (what is not committed is left out)')"
status=0 number=0
for command in "${commands[@]}"; do
    number=$((number + 1)) start=$SECONDS log=$cache/empty-$suite.$$.$number.log result=passed
    inside "$command" >"$log" 2>&1 || { result="FAILED ($?)"; status=1; }
    printf '%-30s %-12s %5d s  %s\n' "$command" "$result" $((SECONDS - start)) "$log"
    [ "$result" = passed ] || tail -n 15 "$log" | sed 's/^/    /'
done
exit $status
