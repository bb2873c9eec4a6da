# What scripts/up, scripts/test and .ci/run share. Sourced, not run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\033[1m==> %s\033[0m\n' "$*"; }

# The flags of every debug build, so that scripts/up and scripts/test share what is built: warnings are errors, and an import
# that Package.swift does not declare is one too.
STRICT=(--explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors)

LIBRARIES=(libcurl4-openssl-dev libpq-dev libargon2-dev libhiredis-dev libnats-dev libsqlite3-dev libzip-dev libzstd-dev zlib1g-dev pkg-config)

# The programs that process media.
MEDIA_TOOLS=(ffmpeg libvips-tools tesseract-ocr tesseract-ocr-eng poppler-utils)

# The programs that tests use: servers, a browser, and what judges our output.
TEST_TOOLS=(fonts-dejavu-core postgresql-15 pgbouncer redis-server nats-server haproxy prometheus nghttp2-server
  libimage-exiftool-perl chromium openssl oathtool procps curl gzip gcc libc6-dev python3 python3-venv)

# need PACKAGE...: installs those Debian packages that are missing.
need() {
  local missing=()
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "installing ${missing[*]}"
  local sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  "${sudo[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# python_tools: what the tests use from PyPI, such as deno, in .build/python.
python_tools() {
  cmp -s Tests/requirements.txt .build/python/requirements.txt && return
  need python3 python3-venv
  say "installing what the tests use from PyPI"
  mkdir -p .build
  python3 -m venv .build/python
  .build/python/bin/pip install -q -r Tests/requirements.txt
  # Last, so that what was interrupted is done again.
  cp Tests/requirements.txt .build/python/
}

# as_postgres COMMAND...: PostgreSQL refuses to run as root.
as_postgres() {
  if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

# files_in_memory: temporary files are in memory from here on, where that has room. Tests make and delete thousands of
# databases, and finding free inodes for them on disk was a third of all their time.
files_in_memory() {
  local free
  free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -1) || return 0
  [ "$free" -gt 6000000 ] || return 0
  MEMORY_FOLDER=$(mktemp -d /dev/shm/quintet-XXXXXX)
  # PostgreSQL's user has its folder in it.
  chmod 755 "$MEMORY_FOLDER"
  export TMPDIR=$MEMORY_FOLDER
  trap 'rm -rf "$MEMORY_FOLDER"' EXIT
}

# start_postgres: a PostgreSQL of our own on a free loopback port, stopped when the script ends.
start_postgres() {
  local bin
  bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
  POSTGRES_FOLDER=$(mktemp -d)
  [ "$(id -u)" -eq 0 ] && chown postgres "$POSTGRES_FOLDER"
  local port
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  as_postgres "$bin/initdb" -D "$POSTGRES_FOLDER/data" -U quintet --auth=trust -E UTF8 --locale=C.UTF-8 >/dev/null
  # Loss of power is not tested here, and fsync would only wear the disk.
  as_postgres "$bin/pg_ctl" -w -s -D "$POSTGRES_FOLDER/data" -l "$POSTGRES_FOLDER/log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$POSTGRES_FOLDER -c fsync=off -c max_connections=600" start
  export QUINTET_TEST_POSTGRES="postgres://quintet@127.0.0.1:$port/postgres"
  trap 'as_postgres "'"$bin"'/pg_ctl" -s -m immediate -D "$POSTGRES_FOLDER/data" stop || true; rm -rf "$POSTGRES_FOLDER" "${MEMORY_FOLDER:-}"' EXIT
}

# The services behind the gateway, each an executable, in the order in which they start.
SERVICES=(auth catalog orders matching study-sync media-index)

# url_of NAME: where the other services find a service; of the gateway, its private port.
url_of() {
  local variable=SERVICES_${1^^}_URL
  variable=${variable//-/_}
  echo "${!variable}"
}

# choose_addresses [PORT]: the port of the gateway, or a free one, and free ports for the services, in `gateway` and the
# environment.
choose_addresses() {
  local ports name variable
  ports=($(python3 -c 'import socket; held = [socket.create_server(("127.0.0.1", 0)) for _ in range(8)]
print(*(it.getsockname()[1] for it in held))'))
  for name in "${SERVICES[@]}" gateway; do
    variable=SERVICES_${name^^}_URL
    export "${variable//-/_}=http://127.0.0.1:${ports[0]}"
    ports=("${ports[@]:1}")
  done
  gateway=http://127.0.0.1:${1:-${ports[0]}}
}

# start_service PRODUCTS LOGS NAME [SETTING...]: starts a service, or the gateway, as a process of its own, and waits until
# it listens.
start_service() {
  local products=$1 log=$2/$3.log name=$3 url
  shift 3
  url=$(url_of "$name")
  if [ "$name" = gateway ]; then
    "$products/gateway" serve --port "${gateway##*:}" --metrics-port "${url##*:}" "$@" >>"$log" 2>&1 &
    url=$gateway
  else
    "$products/$name" serve --port "${url##*:}" --metrics-port 0 "$@" >>"$log" 2>&1 &
  fi
  for _ in $(seq 300); do
    curl -sf "$url/livez" >/dev/null && return
    sleep 0.1
  done
  cat "$log"
  exit 1
}
