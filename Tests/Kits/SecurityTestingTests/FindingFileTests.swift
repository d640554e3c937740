import Foundation
import LatchkeyTestSupport
import Security
import SecurityTesting
import Testing

@Suite("The file of findings of a run")
struct FindingFileTests {
    private static func add() {
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: UUID().uuidString, kSecValueData: Data("a".utf8),
        ]
        SecItemAdd(item as CFDictionary, nil)
    }

    @Test("has the kinds of findings of each device that ends, once")
    func kindsInOwnProcess() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/findings"
        await #expect(processExitsWith: .success) { [path = path as String] in
            setenv("LATCHKEY_FINDINGS", path, 1)
            let closed = try VirtualDevice()
            closed.run { Self.add() }
            closed.close()
            closed.close()
            do {
                let released = try VirtualDevice()
                released.run { Self.add() }
            }
            try VirtualDevice().close()
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == "no-protection-class\nno-protection-class\n")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("is not written through a link, and need not be there")
    func linkInOwnProcess() async throws {
        let directory = try TemporaryDirectory()
        let (link, target) = (directory.path + "/link", directory.path + "/target")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        await #expect(processExitsWith: .success) { [link = link as String] in
            setenv("LATCHKEY_FINDINGS", link, 1)
            let device = try VirtualDevice()
            device.run { Self.add() }
            device.close()
        }
        #expect(!FileManager.default.fileExists(atPath: target))
    }
}
