import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// The kernel's list of connections, mounted as systemd does, in a namespace of its own.
@Suite("The owner of a volume ends its connection through the kernel's list")
struct ConnectionListTests {
    /// As root: mounts the list, makes the device of FUSE everybody's, and goes on as a user without rights.
    private static let outer = """
        set -e
        mount -t fusectl fusectl /sys/fs/fuse/connections
        mount -t tmpfs tmpfs /mnt
        mknod -m 666 /mnt/fuse c 10 229
        chmod 666 /mnt/fuse
        mount --bind /mnt/fuse /dev/fuse
        cd /
        exec setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=/tmp /bin/bash -c "$1" bash "$2"
        """

    /// A volume in another one, whose server is stopped: a thread of the upper one's stays in the kernel when it is
    /// killed.
    private static let inner = """
        set -e
        directory=$(mktemp -d /tmp/latchkey-list.XXXXXX)
        cd $directory
        latchkey() { "$programs/latchkey" "$@" --device $directory/device >/dev/null; }
        programs=$1
        server() { pgrep -u nobody -f -- "--storage $directory/$1 "; }
        left() { cat /proc/$1/task/*/stat 2>/dev/null | sed 's/.*) //' | cut -c1 | grep -v Z | tr -d '\\n'; }
        writes='import os, sys
        file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
        while True:
            os.pwrite(file, b"x" * (1 << 20), 0)
            print(flush=True)'
        tidy() {
            trap - EXIT
            set +e
            kill -CONT $(server store) 2>/dev/null
            latchkey volume unmount upper 2>/dev/null
            latchkey volume unmount lower
            latchkey stop
            rm -rf $directory
        }
        trap tidy EXIT
        latchkey start --test-only-passcode-cost 4
        echo 246810 | latchkey passcode set
        latchkey volume create store --class D
        latchkey volume mount store lower
        latchkey volume create lower/store2 --class D
        for ((round = 0; round < 50; round++)); do
            latchkey volume mount lower/store2 upper
            python3 -c "$writes" upper/file >wrote 2>/dev/null &
            writer=$!
            until [[ -s wrote ]]; do sleep 0.01; done
            upper=$(server lower/store2)
            kill -STOP $(server store)
            until [[ $(left $(server store)) =~ ^T*$ ]]; do sleep 0.01; done
            kill -KILL $upper
            until [[ $(left $upper) =~ ^D*$ ]]; do sleep 0.01; done
            sleep 0.2
            threads=$(left $upper)
            kill -KILL $writer 2>/dev/null || true
            if [[ -n $threads ]]; then
                for ((look = 0; look < 6000; look++)); do
                    kill -0 $writer 2>/dev/null || break
                    sleep 0.01
                done
                kill -0 $writer 2>/dev/null && echo "the program hangs" || echo "the program has ended"
                exit
            fi
            kill -CONT $(server store)
            wait $writer || true
        done
        echo "no thread stayed in the kernel"
        """

    private static let tools = ["/usr/bin/unshare", "/usr/bin/setpriv", "/usr/bin/pgrep", "/usr/bin/python3"]

    /// True where a user without rights can start the programs.
    private static let isPossible: Bool = {
        var path = Installation.directory
        while path != "/" {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & 0o001 != 0 else { return false }
            path = (path as NSString).deletingLastPathComponent
        }
        return SmallDisk.isAvailable && tools.allSatisfy { access($0, X_OK) == 0 }
    }()

    @Test(
        "without a command, programs that use the volume of a server that was killed can be ended",
        .needsRoot(to: "mount in a namespace, and start programs of another user", if: isPossible))
    func endsByItself() throws {
        let ending = try run(
            URL(filePath: "/usr/bin/unshare"),
            [
                "--mount", "--propagation", "private", "/bin/bash", "-c", Self.outer, "bash", Self.inner,
                Installation.directory,
            ])
        #expect(ending.output == "the program has ended\n", "\(ending.errors)")
    }
}
