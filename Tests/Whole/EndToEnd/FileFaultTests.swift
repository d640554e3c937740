import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

@Suite("Encrypting and decrypting files when something goes wrong in the middle")
struct FileFaultTests {
    /// Python: runs `encrypt - -o f.rnc`, and sends it a signal once it has read some megabytes and waits for more. Says how
    /// many names the directory had before, how the process ended, and which names are left.
    private static let script = """
        import os, signal, subprocess, sys
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        program, number, before = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
        os.mkdir("d")
        password = open("pw").fileno
        process = subprocess.Popen(
            [*before, program, "encrypt", "-", "-o", "d/f.rnc", "-q", "--password-fd", str(password())],
            stdin=subprocess.PIPE, pass_fds=[password()])
        # The pipe holds much less: when this returns, most of it was read.
        process.stdin.write(bytes(3 << 20))
        process.stdin.flush()
        names = os.listdir("d")
        if number == 0:
            process.stdin.close()
        else:
            process.send_signal(number)
        print(len(names), all(name.startswith(".latchkey-") for name in names), process.wait(), os.listdir("d"))
        """

    private func course(_ number: Int32, before: String = "") throws -> String {
        let stage = try FileStage()
        try stage.write(Array(Self.script.utf8), to: "course.py")
        let ending = try stage("ulimit -c 0; /usr/bin/python3 course.py \"$L\" \(number) \(before)")
        #expect(ending.errors.isEmpty, "\(ending.errors)")
        return ending.output
    }

    @Test("a process that is killed leaves nothing", arguments: [SIGKILL, SIGTERM, SIGINT, SIGHUP])
    func killed(_ number: Int32) throws {
        #expect(try course(number) == "0 True -\(number) []\n")
    }

    @Test(
        "where a file needs a name while it is written, a signal takes it away", .needsRoot(to: "hide a part of /proc"))
    func killedWithName() throws {
        // Without its descriptors in /proc a process can give no name to a file later.
        let hidden =
            "unshare --mount --propagation private bash -c 'mount -t tmpfs none /proc/$$/fd && exec \"$@\"' bash"
        for number in [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGALRM, SIGXCPU, SIGPIPE] {
            #expect(try course(number, before: hidden) == "1 True -\(number) []\n")
        }
        #expect(try course(0, before: hidden) == "1 True 0 ['f.rnc']\n")
        #expect(try course(0) == "0 True 0 ['f.rnc']\n")
    }

    @Test("a full disk is said, and leaves nothing", .needsMounts)
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 2)
        let stage = try FileStage()
        try stage.write(FileStage.bytes(4 << 20), to: "f")
        func left() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: disk.path) }

        let made = try stage("$L encrypt f -o \(disk.path)/f.rnc --password-fd 3 3<pw")
        #expect(made.status == 73, "\(made.errors)")
        #expect(made.errors.contains("No space left"))
        #expect(try left().isEmpty)

        try #require(try stage("$L encrypt f --password-fd 3 3<pw").status == 0)
        let opened = try stage("$L decrypt f.rnc -o \(disk.path)/f --password-fd 3 3<pw")
        #expect(opened.status == 73, "\(opened.errors)")
        #expect(try left().isEmpty)

        let piped = try stage(
            "cat f.rnc | $L decrypt --password-fd 3 3<pw >out", environment: ["TMPDIR": disk.path])
        #expect(piped.status == 73, "\(piped.errors)")
        #expect(piped.errors.contains("TMPDIR"))
        #expect(try left().isEmpty)
        #expect(try stage.bytes("out").isEmpty)

        let device = try stage("$L encrypt f -o - --password-fd 3 3<pw >/dev/full")
        #expect(device.status == 73)
        let limited = try stage("ulimit -f 1024; $L encrypt f -o g --password-fd 3 3<pw")
        #expect(limited.status == 73, "\(limited.status) \(limited.errors)")
        #expect(!stage.has("g"))
    }

    @Test("a reader that goes away ends the command")
    func closedPipe() throws {
        let stage = try FileStage()
        try stage.write(FileStage.bytes(4 << 20), to: "f")
        let ending = try stage("set +o pipefail; $L encrypt f -o - --password-fd 3 3<pw | head -c 1 | wc -c")
        #expect(ending.output == "1\n")
    }

    @Test("a file larger than all memory that may be used passes through")
    func constantMemory() throws {
        let stage = try FileStage()
        // Sparse: it takes no room, and its encryption goes nowhere.
        let ending = try stage(
            """
            truncate -s 256M f
            /usr/bin/python3 - "$L" <<'END'
            import os, subprocess, sys
            for command in (["encrypt", "f", "-o", "-"], ["encrypt", "f"], ["decrypt", "f.rnc", "-o", "-"]):
                def peak(arguments):
                    with open("pw") as password:
                        number = password.fileno()
                        process = subprocess.Popen(
                            [sys.argv[1], *arguments, "--password-fd", str(number)], stdout=subprocess.DEVNULL,
                            pass_fds=[number])
                        _, status, usage = os.wait4(process.pid, 0)
                        assert status == 0, arguments
                        return usage.ru_maxrss
                print(peak(command))
            END
            """)
        #expect(ending.status == 0, "\(ending.errors)")
        let peaks = ending.output.split(separator: "\n").compactMap { Int($0) }
        try #require(peaks.count == 3)
        // In KiB. Most of it are the program's libraries, which are larger in a debug build.
        for peak in peaks { #expect(peak < 64 * 1024) }
    }
}
