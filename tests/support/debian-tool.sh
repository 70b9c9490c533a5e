#!/bin/sh
# Installs one of Debian's tools that tests run, if it is missing and root or sudo permits it: debian-tool.sh NAME
# It succeeds without the tool, too: the tests of a missing tool are skipped, or fail in CI, and say so.
set -u
PATH=$PATH:/usr/sbin # Debian has PgBouncer there, which need not be on the path.
found() { command -v "$1" > /dev/null; }

case ${1-} in
  browser)
    packages=chromium
    missing="There is no Chromium at $CHROMIUM, so no page can be tested in a browser: install one (on Debian: apt-get install $packages), or say CHROMIUM=/path/to/it."
    is_there() { [ -x "$CHROMIUM" ]; } ;;
  pgbouncer)
    packages=pgbouncer
    missing="There is no PgBouncer, so nothing can be tested through it: install one (on Debian: apt-get install $packages)."
    is_there() { found pgbouncer; } ;;
  prometheus)
    packages=prometheus
    missing="There is no promtool, so alerts and dashboard cannot be evaluated: install Prometheus (on Debian: apt-get install $packages)."
    is_there() { found promtool; } ;;
  high-availability)
    packages='patroni etcd-server haproxy pgbouncer postgresql-15'
    missing="There is no Patroni with etcd, HAProxy, PgBouncer and PostgreSQL 15, so high availability cannot be tested: install them (on Debian 12: apt-get install $packages)."
    is_there() { [ -x /usr/lib/postgresql/15/bin/postgres ] && found patroni && found etcd && found haproxy && found pgbouncer; } ;;
  go)
    packages='golang-go golang-golang-x-mod-dev'
    missing="There is no Go with golang.org/x/mod, so other code cannot verify exported logs: install it (on Debian: apt-get install $packages)."
    is_there() { found go && [ -d /usr/share/gocode/src/golang.org/x/mod/sumdb/tlog ]; } ;;
  buildah)
    packages='buildah mmdebstrap'
    missing="There is no buildah with mmdebstrap, so no image can be built: install them (on Debian: apt-get install $packages)."
    is_there() { found buildah && found mmdebstrap; } ;;
  postfix)
    packages=postfix
    missing="There is no Postfix, so no letter can be sent through it: install it (on Debian: apt-get install $packages)."
    is_there() { [ -x /usr/lib/postfix/sbin/master ]; } ;;
  relying-parties)
    packages='apache2 libapache2-mod-auth-openidc oidc-agent-cli python3-authlib python3-flask python3-requests'
    missing="There is no Apache with mod_auth_openidc, no oidc-agent, or no Authlib with Flask, so they cannot be clients of the OpenID provider: install them (on Debian: apt-get install $packages)."
    is_there() { found apache2 && found oidc-agent && [ -e /usr/lib/apache2/modules/mod_auth_openidc.so ] && /usr/bin/python3 -c 'import authlib, flask, requests' 2> /dev/null; } ;;
  *)
    echo "debian-tool.sh: ${1-} is no tool: say browser, pgbouncer, prometheus, high-availability, go, buildah, postfix or relying-parties" >&2
    exit 2 ;;
esac

if ! is_there && found apt-get; then
  root=
  [ "$(id -u)" = 0 ] || root='sudo -n'
  # shellcheck disable=SC2086 # words
  $root true 2> /dev/null && $root apt-get -qq update \
    && $root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -qq -y install --no-install-recommends $packages
fi
is_there || echo "$missing"
