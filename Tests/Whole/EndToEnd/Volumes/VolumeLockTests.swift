import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

@Suite("A mounted volume follows the lock of the device", .needsVolumes)
struct VolumeLockTests {
    private static let diary = Array("Dear diary, today the phone was locked.".utf8)

    /// Waits until the mount has heard of a lock.
    private func waitForLock(_ stage: MountStage, _ path: String) {
        eventually { FileHandleNumber.failure { _ = try FileHandleNumber.content(path) } == .EPERM }
        _ = stage
    }

    @Test("a file of class A is closed on open handles too, also where its content was cached")
    func classA() throws {
        let stage = try MountStage(fileClass: "A")
        let path = stage.path("diary")
        try useClassA(stage, path)
        try stage.remount()
        #expect(try FileHandleNumber.content(path).starts(with: Array("DEAR diary".utf8)))
    }

    private func useClassA(_ stage: MountStage, _ path: String) throws {
        let writer = try FileHandleNumber(path, O_RDWR | O_CREAT | O_EXCL)
        try writer.write(Self.diary)
        let reader = try FileHandleNumber(path)
        #expect(try reader.read() == Self.diary)
        try stage.lock()
        waitForLock(stage, path)
        // The content was in the page cache of the kernel; it is not any more.
        eventually { FileHandleNumber.failure { _ = try reader.read() } == .EPERM }
        #expect(FileHandleNumber.failure { try writer.write([1]) } == .EPERM)
        #expect(FileHandleNumber.failure { _ = try FileHandleNumber(path, O_RDWR | O_TRUNC) } == .EPERM)
        #expect(FileHandleNumber.failure { try FileHandleNumber.store("new", at: stage.path("new")) } == .EPERM)
        #expect(access(stage.path("new"), F_OK) != 0)
        #expect(truncate(path, 0) != 0 && errno == EPERM)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size == Self.diary.count, "names and lengths are seen")
        try stage.unlock()
        #expect(try reader.read() == Self.diary)
        try writer.write(Array("DEAR".utf8))
        #expect(try FileHandleNumber.content(path).starts(with: Array("DEAR diary".utf8)))
    }

    @Test("a file of class B can be made under a lock, is used while it is open, and not opened again")
    func classB() throws {
        let stage = try MountStage(fileClass: "B")
        try FileHandleNumber.store("before", at: stage.path("before"))
        let standing = try FileHandleNumber(stage.path("before"), O_RDWR)
        let other = stage.path("other")
        try FileHandleNumber.store("other", at: other)
        try stage.lock()
        waitForLock(stage, other)
        try standing.write(Array("BEFORE".utf8))
        #expect(try standing.read() == Array("BEFORE".utf8))
        let made = stage.path("made")
        do {
            let file = try FileHandleNumber(made, O_RDWR | O_CREAT | O_EXCL)
            try file.write(Self.diary)
            try file.synchronize()
            #expect(try file.read() == Self.diary)
        }
        // The kernel says later that a file was closed.
        eventually { FileHandleNumber.failure { _ = try FileHandleNumber(made) } == .EPERM }
        try stage.unlock()
        #expect(try FileHandleNumber.content(made) == Self.diary)
        #expect(try FileHandleNumber.content(stage.path("before")) == Array("BEFORE".utf8))
    }

    @Test("mapped memory is written out before the lock, and ends in SIGBUS after it")
    func mapped() throws {
        let stage = try MountStage(fileClass: "A")
        let path = stage.path("mapped")
        try FileHandleNumber.store(String(repeating: "x", count: 10_000), at: path)
        let script = """
            import mmap, os, sys
            file = os.open(sys.argv[1], os.O_RDWR)
            memory = mmap.mmap(file, 10000)
            memory[5000:5005] = b"dirty"
            print("ready", flush=True)
            sys.stdin.readline()
            print(memory[5000:5005], flush=True)
            """
        let child = Process()
        child.executableURL = URL(filePath: "/bin/bash")
        child.arguments = ["-c", "ulimit -c 0; exec /usr/bin/python3 -c \"$0\" \"$1\"", script, path]
        let (input, output) = (Pipe(), Pipe())
        child.standardInput = input
        child.standardOutput = output
        try child.run()
        #expect(output.fileHandleForReading.nextLine() == "ready\n")
        try stage.lock()
        waitForLock(stage, path)
        try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        child.waitUntilExit()
        #expect(child.terminationReason == .uncaughtSignal && child.terminationStatus == SIGBUS)
        #expect(try output.fileHandleForReading.readToEnd() ?? Data() == Data(), "nothing was read under the lock")
        try stage.unlock()
        let content = try FileHandleNumber.content(path)
        #expect(content.count == 10_000)
        #expect(Array(content[4999..<5006]) == Array("xdirtyx".utf8), "what was in memory before the lock is kept")
    }

    @Test("the daemon may end and come back while the volume is mounted")
    func daemonRestart() throws {
        let stage = try MountStage(fileClass: "A")
        let path = stage.path("diary")
        let writer = try FileHandleNumber(path, O_RDWR | O_CREAT | O_EXCL)
        try writer.write(Self.diary)
        try #require(try stage.device("stop").status == 0)
        waitForLock(stage, path)
        #expect(FileHandleNumber.failure { _ = try writer.read() } == .EPERM)
        let started = try stage.device("start")
        try #require(started.status == 0, "\(started.errors)")
        #expect(FileHandleNumber.failure { _ = try writer.read() } == .EPERM, "before the first unlock")
        try stage.unlock()
        #expect(try writer.read() == Self.diary)
        try stage.lock()
        waitForLock(stage, path)
        try stage.unlock()
        #expect(try writer.read() == Self.diary)
        try FileHandleNumber.store("new", at: stage.path("new"))
    }
}
