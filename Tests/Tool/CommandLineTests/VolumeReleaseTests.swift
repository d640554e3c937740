import Foundation
import Glibc
import LatchkeyCommandLineTool
import Testing

@Suite("The end of a volume")
struct VolumeReleaseTests {
    /// A directory whose volume a process seems to serve: it has the lock of the description.
    private final class HeldVolume {
        let path = NSTemporaryDirectory() + "latchkey-\(UUID().uuidString)"
        private let descriptor: Int32

        init() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            descriptor = open(path + "/latchkey-volume", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            // A lock of the open file.
            let setLock: Int32 = 37
            try #require(descriptor >= 0 && fcntl(descriptor, setLock, &lock) == 0)
        }

        func release() { close(descriptor) }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    @Test("a volume that is not free after the wait is a failure, and the wait is said once")
    func notFree() throws {
        let volume = try HeldVolume()
        defer { volume.release() }
        var sentences: [String] = []
        let release = VolumeRelease(
            storage: volume.path, folder: "/folder", server: nil, patienceMilliseconds: 1100,
            tell: { sentences.append($0) })
        let failure = #expect(throws: CommandFailure.self) { try release.wait() }
        #expect(failure?.status == .stopFailed)
        #expect(failure?.what.contains("not free yet") == true)
        #expect(sentences.count == 1 && sentences[0].hasPrefix("Waiting until"))
    }

    @Test("a volume that is free is released at once, without a word")
    func free() throws {
        let volume = try HeldVolume()
        volume.release()
        var sentences: [String] = []
        try VolumeRelease(
            storage: volume.path, folder: "/folder", server: nil, patienceMilliseconds: 0,
            tell: { sentences.append($0) }
        ).wait()
        #expect(sentences.isEmpty)
    }
}
