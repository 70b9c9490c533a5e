# Everything a developer or an operator types. `make` alone says what there is.
.DEFAULT_GOAL := help
.PHONY: help run build join docs browser pgbouncer prometheus high-availability go buildah test test-all test-delivery test-faults test-domain test-long test-matrix image-test check bench bench-oracle sbom audit release format clean

MOCHA := npx mocha --timeout 20000
REPORTED := --reporter dist/tests/support/reporter.js
FAULT_TESTS := $(MOCHA) --timeout 300000 $(REPORTED) 'dist/tests/faults/**/*.test.js'

# How many test files run at once. Tests also wait, so that two more than there are cores keep those busy.
JOBS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN || echo 1) + 2)))

# All files share one PostgreSQL and one browser, and each answer is compared with the OpenAPI document.
PARALLEL_TESTS = $(MOCHA) --timeout 60000 --parallel --jobs $(JOBS) $(REPORTED) \
  --require dist/tests/support/whole-run.js --require dist/tests/openapi/judged-answers.js

# Packages, containers, lock file and foreign clients.
DELIVERY_TESTS := $(patsubst %,'dist/tests/%/**/*.test.js',examples package ship supply-chain) \
  dist/tests/oauth/pyjwt.test.js dist/tests/release/made.test.js

# Needs root, and downloads Debian, Node and all packages.
IMAGE_TESTS := dist/tests/image/built-image.test.js

# What takes longest and changes least.
LONG_TESTS := $(patsubst %,'dist/tests/%.test.js',account-pages/browser account-pages/looks account-pages/passkeys-browser \
  account-pages/security-browser application/read-feed.property cli/doctor-rights cli/operator cli/postgres-commands cli/postgres-doctor \
  cli/with console/attacks-browser console/screens-browser console/screens-looks docs/browser docs/keyboard docs/looks history/attacked-store history/busy-log history/go \
  history/go-commands history/meanwhile history/pruning history/running history/upgrade http/fair-hashing \
  http/published-log-files http/throttle-parallel postgres/durability postgres/fail-over \
  postgres/former-primary postgres/held-head postgres/log-of-many-writers postgres/lost-answers \
  postgres/patience postgres/pooled postgres/refused-databases postgres/several-hosts postgres/silence \
  postgres/starting-at-once postgres/synchronous-standby \
  readme/client-page readme/import-recipes readme/operating readme/running-more readme/user-tokens traces/as-in-docs)
SOURCES := --node-option import=tsx --extension ts

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# The better-sqlite3 of the lock runs on Node 20, too. On Node 24 it would abort the process now and then as garbage is
# collected: the headers of 24.19 and newer make it call back into Node at moments when that Node cannot take it. The next
# version goes by Node-API and does not know them; on Node 20 it does not run.
ON_NODE_24 := better-sqlite3@13.2.0

# npm leaves this file behind when it is done, so it stands for all that is installed.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci
	@case $$(node --version) in v24.*) npm install --no-save $(ON_NODE_24) ;; esac
	@touch $@

# Node 20 takes about a millisecond for each file. So the program starts in half the CPU time if its modules and packages are in a few.
# These packages stay separate: they load a binary or a dictionary beside them. pg looks for pg-native.
SEPARATE_PACKAGES := better-sqlite3 sodium-native @node-rs/argon2 @node-rs/bcrypt \
  @zxcvbn-ts/core @zxcvbn-ts/language-common @zxcvbn-ts/language-en pg-native
# fp-ts and io-ts have each module twice. Of a joined CommonJS module each use of a function is a call of a getter: in a request these
# took 5 to 10 µs.
AS_MODULES := --main-fields=module,main --alias:fp-ts/lib=fp-ts/es6
# The ES module imports node:http: see adapters/http/server/node-http.ts.
AS_COMMONJS := --alias:@koa/router=./node_modules/@koa/router/dist/index.js
# With it, joined CommonJS modules load those of Node.
REQUIRE := import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url)
# Koa brings a table of all media types, twice, and raw-body tables of encodings: a sixth of the CPU time of a start, and 4 MB. The
# service names its types and decodes UTF-8 itself. Answers that Koa writes itself have one of these types.
KOA_TYPES := {"text/plain":{"extensions":["text"]},"text/html":{"extensions":["html"]},"application/json":{"extensions":["json"]},"application/octet-stream":{"extensions":["bin"]}}
WITHOUT_TABLES := --alias:mime-db='data:application/json,$(KOA_TYPES)' --alias:iconv-lite='data:application/json,{}'

# The licenses of the joined packages. Some say it in their readme only.
JOINED_LICENSES := const { readdirSync: list, readFileSync: read } = require('node:fs'); \
  const folders = Object.keys(require('./dist/joined.json').inputs).flatMap((path) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []); \
  [...new Set(folders)].map((folder) => read(folder + '/' + (list(folder).find((name) => /^license/i.test(name)) ?? list(folder).find((name) => /^readme/i.test(name))), 'utf8')).join('\n')

# `make build ONLY=adapters` is the service without its tests.
build: node_modules/.package-lock.json ## compile into dist/
	@rm -rf dist
	@$(if $(ONLY),,node --import tsx tests/client/write-operations.ts)
	npx tsc -b $(ONLY)
	@mkdir -p dist/adapters/stores/sqlite/migrations
	@cp adapters/stores/sqlite/migrations/*.sql dist/adapters/stores/sqlite/migrations/
	@mkdir -p dist/adapters/stores/postgres/migrations
	@cp adapters/stores/postgres/migrations/*.sql dist/adapters/stores/postgres/migrations/
	@cp adapters/http/docs/*.css adapters/http/docs/*.svg dist/adapters/http/docs/
	@cp adapters/http/pages/*.css dist/adapters/http/pages/
	@cp adapters/http/console/*.css dist/adapters/http/console/
	@cp adapters/http/operation/*.css dist/adapters/http/operation/
	@chmod +x dist/adapters/main.js
	@$(MAKE) --no-print-directory join

join: # again after a compilation without make
	@rm -f dist/adapters/joined-*.js
	@node_modules/.bin/esbuild joined=dist/adapters/separate.js joined-testing=dist/adapters/separate-testing.js \
	  --chunk-names=joined-[name]-[hash] --outdir=dist/adapters \
	  --bundle --splitting --format=esm --platform=node --target=node20 $(AS_MODULES) $(AS_COMMONJS) $(WITHOUT_TABLES) --banner:js="$(REQUIRE)" \
	  --log-level=warning --metafile=dist/joined.json $(SEPARATE_PACKAGES:%=--external:%)
	@node -p "$(JOINED_LICENSES)" > dist/adapters/joined.LICENSE
	@rm dist/joined.json

run: build ## install, build and serve on ./data/portcullis.db
	@node dist/adapters/main.js serve --first-run

# The tests find it by the same name. One that stands elsewhere: CHROMIUM=/path/to/it.
export CHROMIUM ?= /usr/bin/chromium

# Without a browser its tests are skipped, or fail in CI, and say so. Here it is only said how to get one.
browser: ## install Debian's Chromium if there is none
	@[ -x "$$CHROMIUM" ] || { \
	  root=; [ "$$(id -u)" = 0 ] || root='sudo -n'; \
	  command -v apt-get > /dev/null && $$root true 2> /dev/null \
	    && $$root apt-get -qq update \
	    && $$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends chromium; \
	  [ -x "$$CHROMIUM" ] || echo "There is no Chromium at $$CHROMIUM, so no page can be tested in a browser:" \
	    'install one (on Debian: apt-get install chromium), or say CHROMIUM=/path/to/it.'; \
	}

# Debian has it in /usr/sbin, which need not be on the path. Without it its tests are skipped, or fail in CI.
pgbouncer: ## install Debian's PgBouncer if there is none
	@has() { command -v pgbouncer > /dev/null || [ -x /usr/sbin/pgbouncer ]; }; has || { \
	  root=; [ "$$(id -u)" = 0 ] || root='sudo -n'; \
	  command -v apt-get > /dev/null && $$root true 2> /dev/null \
	    && $$root apt-get -qq update \
	    && $$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends pgbouncer; \
	  has || echo 'There is no PgBouncer, so nothing can be tested through it: install one (on Debian: apt-get install pgbouncer).'; \
	}

# Its promtool evaluates the alerts and the dashboard of deploy/. Without it these tests are skipped, or fail in CI.
prometheus: ## install Debian's Prometheus if there is no promtool
	@has() { command -v promtool > /dev/null; }; has || { \
	  root=; [ "$$(id -u)" = 0 ] || root='sudo -n'; \
	  command -v apt-get > /dev/null && $$root true 2> /dev/null \
	    && $$root apt-get -qq update \
	    && $$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends prometheus; \
	  has || echo 'There is no promtool, so alerts and dashboard cannot be evaluated:' \
	    'install Prometheus (on Debian: apt-get install prometheus).'; \
	}

# The recipe of docs/high-availability.md runs as its tests. Without these packages they are skipped, or fail in CI.
high-availability: ## install Debian's Patroni, etcd, HAProxy, PgBouncer and PostgreSQL 15 if some are missing
	@has() { PATH=$$PATH:/usr/sbin; [ -x /usr/lib/postgresql/15/bin/postgres ] \
	  && command -v patroni > /dev/null && command -v etcd > /dev/null && command -v haproxy > /dev/null && command -v pgbouncer > /dev/null; }; \
	has || { \
	  root=; [ "$$(id -u)" = 0 ] || root='sudo -n'; \
	  command -v apt-get > /dev/null && $$root true 2> /dev/null \
	    && $$root apt-get -qq update \
	    && $$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends patroni etcd-server haproxy pgbouncer postgresql-15; \
	  has || echo 'There is no Patroni with etcd, HAProxy, PgBouncer and PostgreSQL 15, so high availability cannot be tested:' \
	    'install them (on Debian 12: apt-get install patroni etcd-server haproxy pgbouncer postgresql-15).'; \
	}

# It verifies exported logs with Debian's packages of the checksum database. Without it these tests are skipped, or fail in CI.
go: ## install Debian's Go and its golang.org/x/mod if there are none
	@has() { command -v go > /dev/null && [ -d /usr/share/gocode/src/golang.org/x/mod/sumdb/tlog ]; }; has || { \
	  root=; [ "$$(id -u)" = 0 ] || root='sudo -n'; \
	  command -v apt-get > /dev/null && $$root true 2> /dev/null \
	    && $$root apt-get -qq update \
	    && $$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends golang-go golang-golang-x-mod-dev; \
	  has || echo 'There is no Go with golang.org/x/mod, so other code cannot verify exported logs:' \
	    'install it (on Debian: apt-get install golang-go golang-golang-x-mod-dev).'; \
	}

# Without them the tests of the image are skipped, or fail in CI, and `make release` is refused.
buildah: ## install Debian's buildah and mmdebstrap if there are none
	@has() { command -v buildah > /dev/null && command -v mmdebstrap > /dev/null; }; has || { \
	  root=; [ "$$(id -u)" = 0 ] || root='sudo -n'; \
	  command -v apt-get > /dev/null && $$root true 2> /dev/null \
	    && $$root apt-get -qq update \
	    && $$root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends buildah mmdebstrap; \
	  has || echo 'There is no buildah with mmdebstrap, so no image can be built:' \
	    'install them (on Debian: apt-get install buildah mmdebstrap).'; \
	}

# On what was compiled, for that is what runs: Node finds fault with imports that a loader of sources forgives.
# None of these tests ends the machine, so no commit to PostgreSQL waits for its disk. All other tests keep fsync.
test: build browser pgbouncer ## the tests of every commit: less than five minutes on two cores (JOBS=8: eight files at once)
	TESTS_WITHOUT_FSYNC=1 $(PARALLEL_TESTS) $(patsubst %,--ignore %,$(DELIVERY_TESTS) $(LONG_TESTS) $(IMAGE_TESTS) 'dist/tests/faults/**') 'dist/tests/**/*.test.js'

# `make --keep-going test-all` runs all parts even if tests of one fail.
test-all: test test-delivery test-long $(if $(filter no,$(FAULTS)),,test-faults) ## every test: test, test-delivery, test-long and test-faults (FAULTS=no: without test-faults)

test-long: build browser pgbouncer go ## poolers, fail-over, documented operations, pages in a browser, exported logs in Go, long fuzz
	$(PARALLEL_TESTS) $(LONG_TESTS)
	RANDOM_REQUESTS=10000 RANDOM_BODIES=300 MUTANTS=100000 RENEWAL_RACES=1000 REVOCATION_RACES=1000 $(PARALLEL_TESTS) \
	  $(patsubst %,'dist/tests/%.test.js',application/renewal.race application/revocation.race http/random-requests openapi/bodies tokens/mutants)

test-delivery: build browser prometheus ## package, image, units, alerts, examples, supply chain and foreign clients
	$(PARALLEL_TESTS) $(DELIVERY_TESTS)

test-faults: build high-availability ## the tests in which the machine fails the service: some fifteen minutes
	$(FAULT_TESTS)

test-domain: node_modules/.package-lock.json ## the tests of the domain, without I/O
	@$(MOCHA) $(SOURCES) 'tests/domain/**/*.test.ts'

# Each Node comes from the registry, with packages of its own, into a temporary folder.
test-matrix: node_modules/.package-lock.json ## test-all on Node 20, 22, 24 and 26, without test-faults (NODES="22 26": on these; FAULTS=yes: with it)
	@node --import tsx tests/matrix/matrix.ts $(if $(filter yes,$(FAULTS)),--faults) $(NODES)

image-test: build buildah ## build the image from the Dockerfile, without a container registry, and run it: some five minutes, as root
	$(MOCHA) $(REPORTED) $(IMAGE_TESTS)

check: build ## lint, types and import rules
	npx biome check --error-on-warnings .
	$(MOCHA) $(SOURCES) 'tests/architecture/**/*.test.ts'

docs: build ## write the references and examples of docs/cli.md, docs/cli-store.md and docs/client-methods.md from the program
	@node dist/tests/readme/write-cli-page.js

bench: build ## speed, memory and start-up beside their ceilings (ROWS="profile token": only these; BASE=PATH: beside another built tree; HELP=1: list the rows)
	@node dist/tests/bench/bench.js $(if $(HELP),--help)

bench-oracle: build ## whether the time of a refusal reveals its reason
	@node dist/tests/bench/oracle.js

sbom: node_modules/.package-lock.json ## write the bill of materials to sbom.cdx.json (CycloneDX)
	@node --import tsx tests/supply-chain/sbom.ts sbom.cdx.json

# Status 1: a known vulnerability that CONTRIBUTING.md does not accept. 3: the registry did not answer.
audit: node_modules/.package-lock.json ## ask the registry for known vulnerabilities
	@node --import tsx tests/supply-chain/audit.ts

# It is refused before anything is built if the tree has changes, or CHANGELOG.md no dated entry.
release: node_modules/.package-lock.json ## write what a release uploads to release/ (IMAGE=no: without the image; BASE=local: on a base made here)
	@node --import tsx tests/release/release.ts

format: node_modules/.package-lock.json ## apply the fixes of the linter
	npx biome check --write .

clean: ## remove what was built and installed; data stays
	rm -rf dist node_modules coverage release sbom.cdx.json
