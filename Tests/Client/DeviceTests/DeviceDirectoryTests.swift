import Foundation
import Glibc
import LatchkeyDevice
import LatchkeyTestSupport
import Synchronization
import Testing

@Suite("The directories of a device")
struct DeviceDirectoryTests {
    private let root = FileManager.default.temporaryDirectory.appending(path: "lk-directory-\(UUID().uuidString)").path

    private func mode(_ path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0, "\(path)")
        return status.st_mode & 0o7777
    }

    @Test("are private from their first moment: several programs that make them at once all find them so")
    func together() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let refusals = Mutex<[String]>([])
        for round in 0..<100 {
            let device = DeviceDirectory(path: "\(root)/above/\(round)")
            onThreads(4) { _ in
                do {
                    try device.prepare()
                } catch {
                    refusals.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(refusals.withLock { $0 } == [])
        for path in [root, root + "/above", root + "/above/0", root + "/above/0/enclave", root + "/above/99/run"] {
            #expect(try mode(path) == 0o700, "\(path)")
        }
    }

    @Test("are refused where a file is in the way, with what the system says, and where others can enter")
    func refused() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        #expect(PrivateFolder.make(root + "/") == nil)
        try Data().write(to: URL(filePath: root + "/file"))
        #expect(PrivateFolder.make(root + "/file/device") == ENOTDIR)
        #expect(throws: DeviceFailure.self) { try DeviceDirectory(path: root + "/file").prepare() }
        #expect(PrivateFolder.make(root + "/open") == nil)
        try #require(chmod(root + "/open", 0o755) == 0)
        let failure = #expect(throws: DeviceFailure.self) { try DeviceDirectory(path: root + "/open").prepare() }
        #expect(failure.map { "\($0)" }?.contains("chmod 700 '\(root)/open'") == true)
    }
}
