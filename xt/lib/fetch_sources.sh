#!/bin/bash
# Usage: fetch_sources.sh DIR PACKAGE...   unpacks Debian source packages, each as DIR/PACKAGE.
# What is there already is left alone; what cannot be had is named on the standard error output.
set -euo pipefail
. "$(dirname "$0")/private_apt.sh"

dir=$1
shift
mkdir -p "$dir"
lack=()
for package; do [ -d "$dir/$package" ] || lack+=("$package"); done
[ ${#lack[@]} -gt 0 ] || exit 0

apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
start_private_apt
for package in "${lack[@]}"; do
    rm -rf "$apt/one" && mkdir "$apt/one"
    if (cd "$apt/one" && private_apt apt-get source --only-source "$package" >"$apt/log" 2>&1); then
        mv "$apt"/one/*/ "$dir/$package"
    else
        echo "fetch_sources.sh: $package: $(tail -1 "$apt/log")" >&2
    fi
done
