# Sourced by scripts that fetch Debian source packages: apt-get with sources, lists and cache of
# its own, so that /etc/apt and /var/lib/apt stay as they are. All is below the directory $apt.

private_apt() {
    "$@" -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt/sources" \
        -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root
}

# write_source_entries [ARCHIVE]: "URI SUITE", or the machine's own Debian or Ubuntu entries, as
# source entries of component main. Both ways to write them occur: one line per entry (.list)
# and paragraphs (.sources).
write_source_entries() {
    local file
    if [ -n "${1-}" ]; then
        echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $1 main" \
            >"$apt/sources/lines.list"
        return
    fi
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -f "$file" ] || continue
        sed -nE '/debian|ubuntu/ s/^deb(( +\[[^]]*\])? +[^ ]+ +[^ ]+ +).*\bmain\b.*/deb-src\1main/p' \
            "$file"
    done | sort -u >"$apt/sources/lines.list"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -f "$file" ] || continue
        perl -00 -ne 'next unless /^URIs:.*(?:debian|ubuntu)/m && /^Components:.*\bmain\b/m;
                      s/^Types:.*/Types: deb-src/m; s/^Components:.*/Components: main/m;
                      s/\s*\z/\n\n/; print' "$file"
    done >"$apt/sources/paragraphs.sources"
}

# start_private_apt [ARCHIVE]: fetches the lists of source packages; what apt-get says goes to
# $apt/log.
start_private_apt() {
    mkdir -p "$apt"/{sources,lists/partial,cache/archives/partial}
    write_source_entries "${1-}"
    private_apt apt-get update >"$apt/log" 2>&1 || { cat "$apt/log" >&2; return 1; }
}
