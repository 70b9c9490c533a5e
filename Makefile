# Everything a developer or an operator types. `make` alone says what there is.
.DEFAULT_GOAL := help
.PHONY: help run build docs picture browser pgbouncer prometheus high-availability go buildah postfix relying-parties test test-all test-delivery test-faults test-domain test-long test-matrix image-test check packages bench bench-oracle sbom audit release format clean

MOCHA := npx mocha --timeout 20000
REPORTED := --reporter dist/tests/support/reporter.js

# How many test files run at once. Tests also wait, so that two more than there are cores keep those busy.
JOBS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN || echo 1) + 2)))

# All files share one PostgreSQL and one browser, and each answer is compared with the OpenAPI document.
PARALLEL_TESTS = $(MOCHA) --timeout 60000 --parallel --jobs $(JOBS) $(REPORTED) \
  --require dist/tests/support/whole-run.js --require dist/tests/openapi/judged-answers.js

# Packages, units, lock file and examples.
DELIVERY_TESTS := $(patsubst %,'dist/tests/%/**/*.test.js',examples package ship supply-chain) \
  dist/tests/release/made.test.js
# A file of tests that takes seconds and breaks rarely is named so.
LONG_TESTS := 'dist/tests/**/*.long.test.js'
SOURCES := --node-option import=tsx --extension ts

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# The better-sqlite3 of the lock runs on Node 20, too. On Node 24 it would abort the process now and then: the headers of 24.19 and newer
# make it call back into Node while garbage is collected. The next version goes by Node-API, and does not run on Node 20.
ON_NODE_24 := better-sqlite3@13.2.0

# npm leaves this file behind when it is done, so it stands for all that is installed. `build` runs the scripts of the packages.
node_modules/.package-lock.json: package.json package-lock.json
	npm ci --ignore-scripts
	@case $$(node --version) in v24.*) npm install --no-save $(ON_NODE_24) ;; esac
	@touch $@

# `make build ONLY=adapters` is the service without its tests. npm may compile better-sqlite3, for a minute of one core: so this compiles meanwhile.
build: node_modules/.package-lock.json ## compile into dist/
	@rm -rf dist
	@{ test -e node_modules/.scripts-ran || { npm rebuild --no-bin-links && touch node_modules/.scripts-ran; }; } & scripts=$$!; \
	  $(if $(ONLY),npx tsc -b --checkers 2 $(ONLY) && npm run --silent bundle,npm run --silent build) && wait $$scripts

run: build ## install, build and serve on ./data/portcullis.db
	@node dist/adapters/main.js serve --first-run

# The tests find it by the same name. One that stands elsewhere: CHROMIUM=/path/to/it.
export CHROMIUM ?= /usr/bin/chromium
# Tests of a missing tool are skipped, or fail in CI, and say so. `make test`, `test-delivery`, `test-long` and `test-faults` install theirs.
browser: ## install Debian's Chromium if there is none
pgbouncer: ## install Debian's PgBouncer if there is none
prometheus: ## install Debian's Prometheus if there is no promtool
high-availability: ## install Debian's Patroni, etcd, HAProxy, PgBouncer and PostgreSQL 15 if some are missing
go: ## install Debian's Go and its golang.org/x/mod if there are none
buildah: ## install Debian's buildah and mmdebstrap if there are none
postfix: ## install Debian's Postfix if there is none; it does not start
relying-parties: ## install Debian's Apache with mod_auth_openidc, oidc-agent, and Authlib with Flask if some are missing; none starts
browser pgbouncer prometheus high-availability go buildah postfix relying-parties:
	@sh tests/support/debian-tool.sh $@

# On what was compiled, for that is what runs: Node finds fault with imports that a loader of sources forgives.
# None of these tests ends the machine: PostgreSQL does without fsync, and stores are in memory if there is room. All other tests keep fsync and the disk.
test: build browser ## the tests of every commit: less than five minutes on two cores (JOBS=8: eight files at once)
	TESTS_WITHOUT_FSYNC=1 $(PARALLEL_TESTS) $(patsubst %,--ignore %,$(DELIVERY_TESTS) $(LONG_TESTS) dist/tests/image/built-image.test.js 'dist/tests/faults/**') 'dist/tests/**/*.test.js'

test-all: test test-delivery test-long $(if $(filter no,$(FAULTS)),,test-faults) ## every test: test, test-delivery, test-long and test-faults (FAULTS=no: without test-faults; make --keep-going: all parts even if tests of one fail)

test-long: build browser pgbouncer go postfix relying-parties ## poolers, fail-over, outages, races, documented operations, pages in a browser, exported logs in Go, OpenID clients of Debian, long fuzz
	$(PARALLEL_TESTS) $(LONG_TESTS)
	RANDOM_REQUESTS=10000 RANDOM_BODIES=300 MUTANTS=100000 REVOCATION_RACES=1000 $(PARALLEL_TESTS) \
	  $(patsubst %,'dist/tests/%.test.js',application/revocation.race http/random-requests openapi/bodies tokens/mutants)

test-delivery: build browser prometheus ## package, units, alerts, examples and supply chain
	$(PARALLEL_TESTS) $(DELIVERY_TESTS)

test-faults: build high-availability ## the tests in which the machine fails the service: some fifteen minutes
	$(MOCHA) --timeout 300000 $(REPORTED) 'dist/tests/faults/**/*.test.js'

test-domain: node_modules/.package-lock.json ## the tests of the domain, without I/O
	@$(MOCHA) $(SOURCES) 'tests/domain/**/*.test.ts'

test-matrix: node_modules/.package-lock.json ## test-all on Node 20, 22, 24 and 26 of the registry, without test-faults (NODES="22 26": on these; FAULTS=yes: with it)
	@node --import tsx tests/matrix/matrix.ts $(if $(filter yes,$(FAULTS)),--faults) $(NODES)

image-test: build buildah ## build the image from the Dockerfile, without a container registry, and run it: some five minutes, as root
	$(MOCHA) $(REPORTED) dist/tests/image/built-image.test.js

check: build ## lint, types and import rules
	npx biome check --error-on-warnings .
	$(MOCHA) $(SOURCES) 'tests/architecture/**/*.test.ts'

packages: build ## write portcullis-VERSION.tgz and portcullis-client-VERSION.tgz, which npm installs
	npm pack --silent --ignore-scripts . ./dist/adapters/client

docs: build ## write the references and examples of docs/cli.md, docs/cli-store.md and docs/routes.md from the program
	@node dist/tests/readme/write-cli-page.js

# Its pixels depend on the fonts of the machine, so `make docs` leaves it alone.
picture: build browser ## take the picture of the sign-in page in README.md anew
	@node dist/tests/readme/write-sign-in-picture.js

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
