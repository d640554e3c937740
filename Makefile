# make run [INPUT=FILE]         build tool, daemon and enclave, and take the tour, on the secrets of FILE (netrc or a browser's CSV)
# make test                     run every test; the last line counts them
# make soak                     what takes longer: campaigns to their end, sanitizers, every program and example
# make bench [ROWS="name …"]    run the benchmarks, all or some rows
# make build                    build everything, also for volumes and sync
# make release                  build the five programs and libcommoncrypto as they are installed
# make deb                      build Debian packages of what `make release` and `make kit` built, into .build/deb
# make check-deb                try the packages on a new Debian (asks for root); minutes
# make kit                      build what `latchkey swift` gives to packages (Docs/Manual/Kit.md)
# make security                build Security for programs in C (Docs/Manual/CPrograms.md)
# make site                     build the manual and the reference of the modules as a site of files, into .build/site
# make install [OWNER=USER]     for the whole machine (asks for root), with a device for USER
# make install-user             for yourself alone, below ~/.local

INPUT ?=
ROWS ?=
OWNER ?=

.PHONY: run test soak bench build check packages release kit security site deb check-deb install install-user permission

run: packages
	Scripts/build --product latchkeyd
	Scripts/build --product latchkey-enclave
	Scripts/build --product latchkey
	@.build/debug/latchkey tour $(if $(INPUT),"$(INPUT)")

build: packages
	Scripts/build

release: packages
	for product in latchkey latchkeyd latchkey-enclave latchkey-volume latchkey-transport CommonCryptoForC; do \
		Scripts/build -c release --product $$product || exit 1; \
	done
	Scripts/link-programs .build/release .build/programs
	Scripts/link-commoncrypto .build/release .build/programs

deb:
	@Scripts/install-packages deb
	@Scripts/build-deb

check-deb:
	@Scripts/install-packages check-deb
	@if [ "$$(id -u)" = 0 ]; then Scripts/check-deb --fresh; else sudo env "PATH=$$PATH" Scripts/check-deb --fresh; fi

kit: packages
	Scripts/build-kit

security: packages
	Scripts/build-security

site: packages
	@Scripts/install-packages site
	Scripts/build-site

# Asked for before the build, which takes minutes, and kept until it is over: a person may have gone by then.
permission:
	@if [ "$$(id -u)" != 0 ]; then \
		echo "Installing for the whole machine needs root; the build itself does not:"; \
		sudo -v || exit 1; \
		make=$$PPID; ( \
			second=0; \
			while grep -qs "^State:[[:space:]]*[A-Y]" "/proc/$$make/status"; do \
				second=$$((second + 1)); \
				[ $$((second % 50)) != 0 ] || sudo -n -v || exit; \
				sleep 1; \
			done \
		) >/dev/null 2>&1 & \
	fi

# Built as the user who calls, installed as root. In this order, also with -j.
install: permission
	@$(MAKE) --no-print-directory release
	@if [ "$$(id -u)" = 0 ]; then as_root=; else as_root="sudo"; fi; \
	$$as_root env DESTDIR="$(DESTDIR)" Scripts/install-system $(if $(OWNER),--owner "$(OWNER)")

install-user: release
	@Scripts/install-user

test:
	@Scripts/install-packages test
	-@Scripts/install-python
	@Scripts/test

soak:
	@Scripts/install-packages test
	-@Scripts/install-python
	@Scripts/test --soak

bench: packages
	@Scripts/bench $(ROWS)

check:
	@Scripts/check

packages:
	@Scripts/install-packages
