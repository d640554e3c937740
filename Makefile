# make run [INPUT=FILE]         build everything and take the tour, on the secrets of FILE (netrc or a browser's CSV)
# make test                     run every test; the last line counts them
# make bench [ROWS="name …"]    run the benchmarks, all or some rows
# make build                    build everything

INPUT ?=
ROWS ?=

.PHONY: run test bench build check packages

run: packages
	swift build --product latchkeyd
	swift build --product latchkey-enclave
	swift build --product latchkey
	@.build/debug/latchkey tour $(if $(INPUT),"$(INPUT)")

build: packages
	swift build

test:
	@Scripts/install-packages python3
	@Scripts/test

bench: packages
	@Scripts/bench $(ROWS)

check:
	@Scripts/check

packages:
	@Scripts/install-packages
