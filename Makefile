# make run [INPUT=FILE]         build everything and take the tour, on the secrets of FILE (netrc or a browser's CSV)
# make test                     run every test; the last line counts them
# make bench [ROWS="name …"]    run the benchmarks, all or some rows
# make build                    build everything
# make release                  build the three programs and libcommoncrypto as they are installed
# make install [OWNER=USER]     for the whole machine (asks for root), with a device for USER
# make install-user             for yourself alone, below ~/.local

INPUT ?=
ROWS ?=
OWNER ?=

.PHONY: run test bench build check packages release install install-user

run: packages
	swift build --product latchkeyd
	swift build --product latchkey-enclave
	swift build --product latchkey
	@.build/debug/latchkey tour $(if $(INPUT),"$(INPUT)")

build: packages
	swift build

release: packages
	for product in latchkey latchkeyd latchkey-enclave commoncrypto; do \
		swift build -c release --static-swift-stdlib -Xlinker -s --product $$product || exit 1; \
	done
	Scripts/link-commoncrypto

# Built as whoever calls, installed as root.
install: release
	@if [ "$$(id -u)" = 0 ]; then as_root=; else as_root="sudo"; fi; \
	$$as_root env DESTDIR="$(DESTDIR)" Scripts/install-system $(if $(OWNER),--owner "$(OWNER)")

install-user: release
	@Scripts/install-user

test:
	@Scripts/install-packages openssl ca-certificates python3 python3-cryptography python3-cryptography-vectors python3-pip \
		gcc g++ libnettle8 systemd dbus fprintd polkitd procps pinentry-tty
	-@Scripts/install-python
	@Scripts/test

bench: packages
	@Scripts/bench $(ROWS)

check:
	@Scripts/check

packages:
	@Scripts/install-packages
