import CLatchkeyShims
import Foundation
import Glibc
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// The process beside the one that serves a volume, which ends the connection of a server that was killed while a
/// thread of it is in the kernel: that thread cannot be killed, and keeps the connection open.
@Suite("The process that watches a volume's server", .needsVolumes)
struct ConnectionWatchTests {
    private func watcher(_ stage: MountStage) throws -> Int32 {
        var found: [Int32] = []
        try #require(
            try comes(within: 60) {
                found = try ProcessStates.watchers(ofFolder: stage.folder)
                return found.count == 1
            }, "\(found)")
        return found[0]
    }

    private static let signals = Set<Int32>(1..<32).subtracting([SIGKILL, SIGSTOP])

    @Test("no signal for another program ends it, and it ends with the volume")
    func signals() throws {
        let stage = try MountStage()
        let watcher = try watcher(stage)
        for signal in Self.signals { try #require(kill(watcher, signal) == 0) }
        try FileHandleNumber.store("text", at: stage.path("file"))
        #expect(ProcessStates.blockedSignals(watcher) == Self.signals)
        #expect(try ProcessStates.watchers(ofFolder: stage.folder) == [watcher])
        try stage.unmount()
        #expect(try comes(within: 60) { try ProcessStates.watchers(ofFolder: stage.folder).isEmpty })
        try stage.mount()
        #expect(try FileHandleNumber.content(stage.path("file")) == Array("text".utf8))
    }

    @Test("one that is killed is started again")
    func restarts() throws {
        let stage = try MountStage()
        let server = try stage.server()
        for _ in 0..<3 {
            let watcher = try watcher(stage)
            try #require(kill(watcher, SIGKILL) == 0)
            #expect(try comes(within: 60) { try !ProcessStates.watchers(ofFolder: stage.folder).contains(watcher) })
        }
        _ = try watcher(stage)
        try FileHandleNumber.store("text", at: stage.path("file"))
        #expect(try stage.server() == server)
        try stage.unmount()
        #expect(try comes(within: 60) { try ProcessStates.watchers(ofFolder: stage.folder).isEmpty })
    }

    @Test("without a command, programs that use the volume can be ended", .needsConnectionEnds)
    func endsByItself() throws {
        let tower = try VolumeTower()
        let (writer, _) = try tower.leaveStuck()
        writer.kill()
        #expect(writer.hasEnded(within: 60))
        #expect(FileHandleNumber.failure { _ = try FileHandleNumber(tower.upper.path("file")) } == .ENOTCONN)
    }

    @Test("one that was killed and started again does so, too", .needsConnectionEnds)
    func endsAfterRestart() throws {
        let tower = try VolumeTower()
        defer { withExtendedLifetime(tower) {} }
        let (writer, _) = try tower.leaveStuck(begin: {
            let first = try watcher(tower.upper)
            try #require(kill(first, SIGKILL) == 0)
            try #require(try comes(within: 60) { try watcher(tower.upper) != first })
        })
        writer.kill()
        #expect(writer.hasEnded(within: 60))
    }

    @Test("a volume whose folder is covered by another mount is ended, too", .needsMounts)
    func endsCovered() throws {
        let tower = try VolumeTower()
        defer { withExtendedLifetime(tower) {} }
        let folder = tower.upper.folder
        let (writer, _) = try tower.leaveStuck(
            begin: { try #require(mount("tmpfs", folder, "tmpfs", 0, nil) == 0) },
            undo: { umount2(folder, Int32(MNT_DETACH)) })
        defer { umount2(folder, Int32(MNT_DETACH)) }
        writer.kill()
        #expect(writer.hasEnded(within: 60))
    }

    @Test("status names a dead server, and unmount frees the programs, where both were killed", .needsConnectionEnds)
    func unmountFinds() throws {
        let tower = try VolumeTower()
        let (folder, device) = (tower.upper.folder, tower.upper.device)
        let (writer, server) = try tower.leaveStuck(prepare: { server in
            // A stopped server starts no other watcher.
            try tower.stop(server) { $0 == "T" || $0 == "D" }
            for watcher in try ProcessStates.watchers(ofFolder: folder) { kill(watcher, SIGKILL) }
        })
        writer.kill()
        let status = try device(["volume", "status", folder])
        // A last thread that closes its files has no arguments any more, by which it is known.
        let said = ["process \(server) was killed", "Its process was killed"]
        #expect(said.contains { status.output.contains($0) }, "\(status.output)")
        let unmounting = Process()
        unmounting.executableURL = try Installation.program("latchkey")
        unmounting.arguments = ["volume", "unmount", folder, "--device", device.directory]
        unmounting.standardError = FileHandle.nullDevice
        unmounting.standardOutput = FileHandle.nullDevice
        try unmounting.run()
        #expect(writer.hasEnded(within: 60))
        // The dead server's thread waits for the lower volume.
        try #require(kill(try tower.lower.server(), SIGCONT) == 0)
        unmounting.waitUntilExit()
        #expect(unmounting.terminationStatus == 0)
        try tower.upper.mount()
        #expect(FileHandleNumber.failure { _ = try FileHandleNumber(tower.upper.path("file")) } == nil)
    }

    /// A process that has ended, or one that has not.
    enum Server: CaseIterable {
        case gone, there
    }

    @Test(
        "folder and number of a server that is gone may be another volume's, which is left alone", .needsConnectionEnds,
        arguments: Server.allCases)
    func reuse(server: Server) throws {
        let stage = try MountStage()
        try FileHandleNumber.store("text", at: stage.path("file"))
        let number = try #require(try FileManager.default.attributesOfItem(atPath: stage.folder)[.systemNumber] as? Int)
        let life = try Self.endedLife()
        defer { close(life) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/cat")
        process.standardInput = Pipe()
        try process.run()
        // Not by SIGTERM, which a thread of the tests may have blocked and passed on.
        defer { kill(process.processIdentifier, SIGKILL) }
        let stands = lk_pidfd_open(process.processIdentifier)
        try #require(stands >= 0)
        defer { close(stands) }
        if server == .gone {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        #expect(try Self.watch("\(number)", stage.folder, life, stands) == 0)
        let failure = FileHandleNumber.failure { _ = try FileHandleNumber(stage.path("file")) }
        #expect(failure == (server == .gone ? nil : .ENOTCONN))
    }

    /// The mark of a thread that has ended, or is about to.
    private static func endedLife() throws -> Int32 {
        let ends = Pipe()
        try #require(
            DetachedThread.start {
                var life = lk_life_begin()
                _ = write(ends.fileHandleForWriting.fileDescriptor, &life, MemoryLayout<Int32>.size)
            })
        var life: Int32 = -1
        try #require(read(ends.fileHandleForReading.fileDescriptor, &life, MemoryLayout<Int32>.size) > 0)
        try #require(life >= 0)
        return life
    }

    /// Runs a watching process to its end; its status.
    private static func watch(_ number: String, _ folder: String, _ life: Int32, _ server: Int32) throws -> Int32 {
        let program = try Installation.program("latchkey-volume").path
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        let texts: [String] = ["watch", "--watch", number, folder]
        var words: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var started: pid_t = 0
        try #require(
            lk_spawn(program, &words, environ, [life, server, nothing], LK_SPAWN_BLOCKED, &started) == 0)
        var status: Int32 = 0
        while waitpid(started, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
