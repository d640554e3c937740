import CLatchkeyShims
import Foundation
import Glibc
import Testing

@testable import LatchkeyPeerIdentity

@Suite("A process is identified by the file it runs")
struct PeerSnapshotTests {
    /// A copy of /bin/sleep in a directory of its own, to run, rename and remove.
    struct Program {
        let directory: URL
        let file: URL

        init(name: String = "sleeper") throws {
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-peer-\(UUID())")
            file = directory.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: URL(fileURLWithPath: "/bin/sleep"), to: file)
        }

        /// Starts the program and returns when it sleeps: in the middle of its exec it would be two programs.
        func run() throws -> Process {
            let expected = try #require(ExecutableFile.file(at: Array(file.path.utf8)))
            let process = Process()
            process.executableURL = file
            process.arguments = ["600"]
            try process.run()
            let pid = process.processIdentifier
            while process.isRunning {
                let isThere = (try? ExecutableFile(ofProcess: pid)).map { $0.isSameFile(as: expected) } == true
                let state = try? String(contentsOfFile: "/proc/\(pid)/syscall", encoding: .utf8)
                // 230 is clock_nanosleep, 35 nanosleep (x86-64); 115 and 101 on arm64.
                if isThere, ["230 ", "35 ", "115 ", "101 "].contains(where: { state?.hasPrefix($0) == true }) { break }
                usleep(1_000)
            }
            return process
        }

        func remove() {
            try? FileManager.default.removeItem(at: directory)
        }
    }

    private func identity(of process: Process) throws -> PeerIdentity {
        try PeerIdentity(ofProcess: process.processIdentifier, userID: geteuid(), groupID: getegid())
    }

    @Test("this process knows its own file")
    func own() throws {
        let own = try PeerIdentity.ofThisProcess()
        #expect(own.processID == getpid())
        #expect(own.userID == geteuid())
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #expect(own.displayName == link)
        #expect(ExecutableFile.file(at: own.executable.path).map { $0.isSameFile(as: own.executable) } == true)
    }

    @Test("a program that is removed or replaced while it runs keeps its group")
    func deleted() throws {
        let program = try Program()
        defer { program.remove() }
        let process = try program.run()
        defer { kill(process.processIdentifier, SIGKILL) }
        let before = try identity(of: process)
        #expect(before.executable.name == "sleeper")
        try FileManager.default.removeItem(at: program.file)
        let removed = try identity(of: process)
        #expect(removed.executable == before.executable)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: "/bin/true"), to: program.file)
        let replaced = try identity(of: process)
        #expect(replaced.privateAccessGroup == before.privateAccessGroup)
        let there = try #require(ExecutableFile.file(at: before.executable.path))
        #expect(!there.isSameFile(as: replaced.executable))
    }

    @Test("a program whose name ends like the kernel's mark does not get another's group")
    func markedName() throws {
        let program = try Program(name: "sleeper (deleted)")
        defer { program.remove() }
        let process = try program.run()
        defer { kill(process.processIdentifier, SIGKILL) }
        #expect(try identity(of: process).executable.name == "sleeper (deleted)")
    }

    @Test("a process that does not exist cannot be a peer")
    func absent() throws {
        let program = try Program()
        defer { program.remove() }
        let process = try program.run()
        let pid = process.processIdentifier
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(throws: IdentityFailure.processEnded(pid: pid)) { try identity(of: process) }
    }

    @Test(
        "a snapshot of this process over a socket pair is confirmed", arguments: PeerSnapshot.DescriptorSource.allCases)
    func confirmed(source: PeerSnapshot.DescriptorSource) throws {
        var ends: [Int32] = [-1, -1]
        #expect(lk_socket_pair(&ends, 1) == 0)
        defer { for end in ends { close(end) } }
        let snapshot = try PeerSnapshot(ofPeerAt: ends[0], descriptorFrom: source)
        #expect(snapshot.identity == (try PeerIdentity.ofThisProcess()))
        try snapshot.confirm()
    }

    @Test("the open executable is the file that runs, with all that tells it from other files")
    func openExecutable() throws {
        let program = try Program()
        defer { program.remove() }
        let process = try program.run()
        defer { kill(process.processIdentifier, SIGKILL) }
        let before = try OpenExecutable(path: program.file.path).identity
        let running = try OpenExecutable(ofProcess: process.processIdentifier)
        #expect(running.identity == before)
        #expect(running.isReadable)
        // A file that is put in its place is another one.
        try FileManager.default.removeItem(at: program.file)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: "/bin/sleep"), to: program.file)
        let replaced = try OpenExecutable(path: program.file.path).identity
        #expect(replaced != before)
        let now = try OpenExecutable(ofProcess: process.processIdentifier).identity
        #expect(now.inode == before.inode && now.byteCount == before.byteCount)
    }

    @Test("a directory, a pipe and a file that is not there are no executables")
    func noExecutables() throws {
        let directory = FileManager.default.temporaryDirectory.path
        #expect(throws: OpenExecutable.OpenFailure(errno: EINVAL)) { try OpenExecutable(path: directory) }
        let pipe = directory + "/latchkey-pipe-\(UUID())"
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        #expect(throws: OpenExecutable.OpenFailure(errno: EINVAL)) { try OpenExecutable(path: pipe) }
        #expect(throws: OpenExecutable.OpenFailure(errno: ENOENT)) { try OpenExecutable(path: pipe + ".none") }
    }

    @Test("the outside thread gives each caller its own result")
    func outsideThread() async throws {
        let outside = try #require(OutsideThread())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask { #expect(outside.perform { number * 2 } == number * 2) }
            }
        }
    }
}
