#!/bin/sh
# deb.sh BUILD VERSION: makes a Debian package in BUILD/dist from the files that `make install-strip` installs.
# dpkg-shlibdeps finds its dependencies. One package contains program, library, header and static library. DEBFULLNAME
# and DEBEMAIL name the maintainer, as for Debian's own tools.
set -eu
build=$1 version=$2
umask 022
tree=$build/deb-tree work=$build/deb-work doc=$build/deb-tree/usr/share/doc/tracepress
architecture=$(dpkg --print-architecture)
rm -rf "$tree" "$work"
mkdir -p "$work/debian" "$build/dist"
make -s --no-print-directory BUILD="$build" install-strip DESTDIR="$tree" PREFIX=/usr >&2

export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}"
who="${DEBFULLNAME:-The tracepress authors} <${DEBEMAIL:-root@$(hostname -f 2>/dev/null || hostname)}>"
gzip -9n "$tree"/usr/share/man/man1/*.1
{
    printf 'tracepress (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n' "$version"
    printf ' -- %s  %s\n' "$who" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$doc/changelog.gz"
gzip -9nc CHANGELOG.md >"$doc/CHANGELOG.md.gz"
{ cat LICENSE && printf '\n' && cat THIRD-PARTY; } >"$doc/copyright"
rm "$doc/LICENSE" "$doc/THIRD-PARTY"

mkdir -p "$tree/usr/share/lintian/overrides"
cat >"$tree/usr/share/lintian/overrides/tracepress" <<EOF
# The library is loaded into programs of any kind, which may have another zlib, so it contains its own one.
tracepress: embedded-library zlib [usr/lib/libtracepress.so.0]
# Programs and libraries are in one package, because it is not part of Debian.
tracepress: link-to-shared-library-in-wrong-package usr/lib/libtracepress.so.0 [usr/lib/libtracepress.so]
tracepress: package-name-doesnt-match-sonames libtracepress0
tracepress: pkg-config-unavailable-for-cross-compilation [usr/lib/pkgconfig/tracepress.pc]
EOF
printf 'Source: tracepress\n\nPackage: tracepress\nArchitecture: any\n' >"$work/debian/control"
root=$(cd "$tree" && pwd)
needs=$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/tracepress" "$root/usr/lib/libtracepress.so.0" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
mkdir "$tree/DEBIAN"
cat >"$tree/DEBIAN/control" <<EOF
Package: tracepress
Version: $version
Architecture: $architecture
Maintainer: $who
Installed-Size: $(du -sk --apparent-size "$tree/usr" | cut -f1)
Depends: $needs
Suggests: libunwind8, libdw1
Section: devel
Priority: optional
Description: reports of profiler traces, and a recorder for C and C++ programs
 Turns traces of torch.profiler into one static HTML page that says where the
 time of a training step goes. Compares runs, and is a gate for CI.
 .
 Programs record themselves by its library, or are recorded unchanged.
EOF
echo "libtracepress 0 tracepress (>= $version)" >"$tree/DEBIAN/shlibs"
echo "activate-noawait ldconfig" >"$tree/DEBIAN/triggers"
(cd "$tree" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$tree/DEBIAN/md5sums"
chmod 644 "$tree"/DEBIAN/*
dpkg-deb --root-owner-group -b "$tree" "$build/dist/tracepress_${version}_$architecture.deb" >&2
rm -rf "$tree" "$work"
echo "$build/dist/tracepress_${version}_$architecture.deb"
