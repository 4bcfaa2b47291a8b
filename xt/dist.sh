#!/bin/bash
# What a user gets: the release is made, built, installed, used, installed again and removed.
set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: xt/dist.sh [--quick] [CHECK...]

Makes a release of the files that git knows (as they are in this tree), in a temporary directory,
and prints a row for each check:
  manifest    make manifest changes nothing
  dist        make dist; the release holds what MANIFEST lists, and META
  meta        META is valid, lists all that the code uses, and files that are there
  build       builds from the release without a warning (-Wall -Wextra)
  base        INSTALL_BASE: program, manuals and all modules are there, and work
  destdir     DESTDIR: the same files below it, and none elsewhere
  again       a newer version over the older one
  uninstall   make uninstall leaves nothing behind
  libpst      make -C csrc install: pst, its manual; uninstall (not with --quick)
  disttest    make disttest, that is, all of t/               (not with --quick)
  deb         dh-make-perl makes a Debian package of it       (not with --quick)
  deb_works   it installs on an empty Debian, works, goes     (not with --quick; as root)
Exit status: 0 if all passed (or cannot be done here: "skipped"), 1 if one failed, 2 usage.
Needs for deb: dev/setup dist.
USAGE
}

quick='' wanted=()
while [ $# -gt 0 ]; do
    case $1 in
        --quick) quick=1 ;;
        -h|--help) usage; exit 0 ;;
        -*) usage >&2; exit 2 ;;
        *)  wanted+=("$1") ;;
    esac
    shift
done

cd "$(dirname "$0")/.."
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PERL5OPT PERL5LIB PERL_MM_OPT PERL_MB_OPT MAKEFLAGS MFLAGS DESTDIR

version=$(sed -n "s/^our \$VERSION = '\([0-9.]*\)';.*/\1/p" lib/Permafrost.pm)
name=Permafrost-$version
tree=$work/tree        # what git has
dist=$work/$name       # what is in the release
base=$work/base        # where it is installed
flags='-O2'
[ -z "$quick" ] || flags='-O0'     # nobody measures it
jobs=${JOBS:-2}

say() { echo "$*"; return 1; }     # the reason of a failure
run() { "$@" >"$work/run.log" 2>&1 </dev/null || { tail -n 20 "$work/run.log"; say "failed: $*"; }; }

# The names of installed files, relative to a directory.
files_in() { (cd "$1" 2>/dev/null && find . -type f | sed 's|^\./||' | LC_ALL=C sort); }

# uses DIR LIBS...: does what is installed work, from another directory, without this tree?
uses() {
    local bin=$1 perl=(perl); shift
    local lib; for lib; do perl+=("-I$lib"); done
    cd /
    "${perl[@]}" -MPermafrost=nfreeze,thaw -e '
        my $data = [1, "a", {k => [2.5]}];
        my $copy = thaw(nfreeze($data));
        exit !($copy->[2]{k}[0] == 2.5 && $INC{"Permafrost.pm"} =~ /^\Q$ARGV[0]/)' "$1" || say 'freeze and thaw'
    "${perl[@]}" -MPermafrost::AsStorable -e '
        require Storable; exit !(\&Storable::freeze == \&Permafrost::freeze)' || say 'AsStorable'
    # All modules, Perl::Critic's policy where that can be.
    local module
    for module in $(cd "$1" && find Permafrost* Perl -name '*.pm' 2>/dev/null); do
        case $module in Perl/*) perl -MPerl::Critic -e 1 2>/dev/null || continue ;; esac
        "${perl[@]}" -e 'require $ARGV[0]' "$module" || say "$module does not load"
    done
    # Modules of one architecture, and of all, may be in two places.
    local PERL5LIB; PERL5LIB=$(IFS=:; echo "$*"); export PERL5LIB
    [ "$("$bin/permafrost" --version)" = "permafrost $version" ] || say 'permafrost --version'
    perl -MPermafrost=store -e 'store([1, {a => 2}], shift)' "$work/image"
    [ "$("$bin/permafrost" json "$work/image")" = '[1,{"a":2}]' ] || say 'permafrost json'
    if perl -MPPI -e 1 2>/dev/null; then
        echo 'use Storable; store($x, $y);' >"$work/audited.pl"
        local status=0; "$bin/permafrost" audit "$work/audited.pl" >/dev/null || status=$?
        [ $status = 1 ] || say "permafrost audit: status $status"
    fi
}

# has_manuals DIR: pages for the program and for all that META provides, and they can be formatted.
has_manuals() {
    local man1 man3 module page
    man1=$(find "$1" -name 'permafrost.1*')
    [ -n "$man1" ] || say 'no permafrost(1)'
    man3=$(find "$1" -name '*.3*' | sed 's|.*/||; s|\.3.*||')
    for module in $(cd "$dist" && perl -MCPAN::Meta -e 'print join " ", keys %{CPAN::Meta->load_file("META.json")->provides}'); do
        grep -qx "$module" <<<"$man3" || say "no $module(3)"
    done
    if command -v man >/dev/null; then
        page=$(man -l "$man1" 2>&1 | head -n 200)
        grep -q '^NAME' <<<"$page" || say 'permafrost(1) is no manual page'
    fi
    true
}

check_manifest() {
    cp MANIFEST "$work/MANIFEST"
    run make manifest
    diff "$work/MANIFEST" MANIFEST || say 'make manifest changes it'
}

check_dist() {
    run make dist
    grep -iE 'not in MANIFEST|no such file|warning: ' "$work/run.log" && say 'make dist complains'
    diff <(tar -tzf "$name.tar.gz" | sed -n "s|^$name/\(.*[^/]\)$|\1|p" | LC_ALL=C sort) \
         <({ sed 's/[[:space:]].*//' MANIFEST; echo META.json; echo META.yml; } | grep . | LC_ALL=C sort) ||
        say 'the release is not what MANIFEST lists'
    tar -C "$work" -xzf "$name.tar.gz"
    note="$(stat -c %s "$name.tar.gz") bytes"
}

check_meta() {
    cd "$dist"
    perl "$here/xt/dist_meta.pl" || say 'META'
}

check_build() {
    cd "$dist"
    run perl Makefile.PL "INSTALL_BASE=$base" OPTIMIZE="$flags -Wall -Wextra"
    grep -i 'warning' "$work/run.log" && say 'Makefile.PL warns'
    run make -j"$jobs"
    # Perl's own headers are not ours to mend.
    grep 'warning: ' "$work/run.log" | grep -v '/CORE/' && say 'warnings'
    true
}

check_base() {
    cd "$dist"
    run make install
    uses "$base/bin" "$base/lib/perl5"
    has_manuals "$base/man"
    note="$(files_in "$base" | wc -l) files"
}

# What a packager does.
check_destdir() {
    cd "$dist"
    find "$base" -type f -exec touch -d '2000-01-01' {} +
    run make install "DESTDIR=$work/dest"
    [ -z "$(find "$work/dest" -type f ! -path "$work/dest$base/*")" ] || say 'files outside of the prefix'
    [ -z "$(find "$base" -type f -newermt '2000-01-02')" ] || say 'files outside of DESTDIR'
    # perllocal.pod is MakeMaker's diary.
    diff <(files_in "$base" | grep -v perllocal.pod) <(files_in "$work/dest$base" | grep -v perllocal.pod) ||
        say 'other files than without'
    mv "$base" "$base.away"
    uses "$work/dest$base/bin" "$work/dest$base/lib/perl5"
    mv "$base.away" "$base"
}

check_again() {
    # The same distribution, a version later. Only these two objects know the version.
    local next=${version%?}9
    rm -rf "$work/next" && cp -a "$dist" "$work/next"
    cd "$work/next"
    sed -i "s/^our \$VERSION = '$version'/our \$VERSION = '$next'/" lib/Permafrost.pm
    run perl Makefile.PL "INSTALL_BASE=$base" OPTIMIZE="$flags"
    find . -name '*.o' ! -name pst_cli.o ! -name Permafrost.o -exec touch {} +
    run make -j"$jobs"
    run make install UNINST=1
    (version=$next; uses "$base/bin" "$base/lib/perl5")
    [ "$(cd / && perl "-I$base/lib/perl5" -MPermafrost::Image -e 'print Permafrost::Image->VERSION')" = "$next" ] ||
        say 'parts of the old version are left'
    note="$version, then $next"
}

check_uninstall() {
    cd "$work/next"
    run make uninstall
    # Others may have files in these directories; perllocal.pod is of all modules.
    local left; left=$(files_in "$base" | grep -v perllocal.pod || true)
    [ -z "$left" ] || say "left: $left"
}

check_libpst() {
    cd "$dist"
    run make -C csrc install "DESTDIR=$work/c" PREFIX=/usr -j"$jobs"
    [ "$("$work/c/usr/bin/pst" --version)" = "pst $version" ] || say 'pst --version'
    grep -q "Version: $version" "$work/c/usr/lib/pkgconfig/pst.pc" || say 'pst.pc'
    if command -v man >/dev/null; then
        man -l "$work/c/usr/share/man/man1/pst.1" 2>/dev/null | grep -q "^Permafrost $version" || say 'pst(1)'
    fi
    run make -C csrc uninstall "DESTDIR=$work/c" PREFIX=/usr
    [ -z "$(files_in "$work/c")" ] || say "left: $(files_in "$work/c")"
}

check_disttest() {
    cd "$tree"
    run env HARNESS_OPTIONS="j$jobs" make disttest
    note=$(sed -n 's/^\(Files=[0-9]*, Tests=[0-9]*\).*/\1/p' "$work/run.log")
}

check_deb() {
    local program
    for program in dh-make-perl dpkg-buildpackage dh; do
        command -v "$program" >/dev/null || { note="no $program: dev/setup dist"; return 77; }
    done
    mkdir -p "$work/deb" && cd "$work/deb"
    cp "$tree/$name.tar.gz" . && tar -xzf "$name.tar.gz" && cd "$name"
    # disttest has run the tests.
    export HOME=$work DEBFULLNAME='The Permafrost authors' DEBEMAIL=permafrost@localhost \
        DEB_BUILD_OPTIONS="nocheck parallel=$jobs"
    run dh-make-perl make --vcs none --no-network .
    run dpkg-buildpackage -us -uc -b
    grep 'warning: ' "$work/run.log" | grep -E '^(csrc|xs)/' && say 'warnings'
    note=$(cd .. && ls libpermafrost-perl_*.deb)
}

check_deb_works() {
    local deb commands
    deb=$(ls "$work"/deb/libpermafrost-perl_*.deb 2>/dev/null) || { note='no package'; return 77; }
    [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || { note='needs root and debootstrap'; return 77; }
    commands=(
        # The package was made with the perl of this machine, which has security updates.
        "sed -n 's|debian bookworm |debian-security bookworm-security |p' /etc/apt/sources.list >/etc/apt/sources.list.d/security.list"
        "apt-get -qq update; apt-get -qq -y --no-install-recommends install ~/${deb##*/}"
        "cd /; perl -MPermafrost=nfreeze,thaw -e 'exit !(thaw(nfreeze([7]))->[0] == 7)'"
        "cd /; perl -MPermafrost::AsStorable -MStorable=dclone -e 'exit !(dclone([7])->[0] == 7 && \\&Storable::dclone == \\&Permafrost::dclone)'"
        "cd /; [ \"\$(permafrost --version)\" = 'permafrost $version' ]"
        "ls /usr/share/man/man1/permafrost.1p.gz /usr/share/man/man3/Permafrost.3pm.gz /usr/share/perl5/Perl /usr/lib/*/perl5/*/Perl 2>/dev/null | grep -c gz | grep -x 2"
        "dpkg -i ~/${deb##*/} && cd / && perl -MPermafrost -e 1"
        "dpkg -r libpermafrost-perl && cd / && ! perl -MPermafrost -e 1 && ! command -v permafrost"
    )
    run xt/empty_chroot.sh --with "$deb" "${commands[@]}"
    note="${#commands[@]} steps on an empty bookworm"
}

checks=(manifest dist meta build base destdir again uninstall)
[ -n "$quick" ] || checks+=(libpst disttest deb deb_works)
needed=$(IFS='|'; echo "${wanted[*]}")

mkdir "$tree"
git -c safe.directory='*' ls-files -z | tar --null -T - -c | tar -x -C "$tree"
(cd "$tree" && run perl Makefile.PL)

status=0
for check in "${checks[@]}"; do
    # What others build upon is always done.
    if [ ${#wanted[@]} -gt 0 ]; then
        case $check in dist|build) ;; *) [[ $check =~ ^($needed)$ ]] || continue ;; esac
    fi
    start=$SECONDS result=passed rc=0 note=''
    # The function writes its note to a file, as it runs in a subshell, where set -e counts.
    set +e
    ( set -e; trap 'echo "$note" >"$work/note"' EXIT
      case $check in manifest|dist) cd "$tree" ;; esac
      "check_$check" ) >"$work/out" 2>&1
    rc=$?
    set -e
    case $rc in
        0)  ;;
        77) result=skipped ;;
        *)  result=FAILED; status=1 ;;
    esac
    printf '%-12s %-8s %4d s  %s\n' "$check" "$result" $((SECONDS - start)) "$(cat "$work/note")"
    [ $result != FAILED ] || sed 's/^/    /' "$work/out"
done
exit $status
