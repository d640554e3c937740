import CryptoSuite
import Device
import EnclaveCore
import Foundation
import ItemModel
import KeychainMessages
import PropertyListDER
import SecretMemory
import Testing

/// A whole device as each version of the formats left it on disk: enclave files and database.
@Suite struct DeviceFixtureTests {
    private static let caller = Caller(name: "fixture", accessGroups: ["fixture"])

    @Test("the device of each format starts locked, unlocks with its passcode and gives every item", arguments: 1...3)
    func opens(_ format: Int) throws {
        let path = try copy(format)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let device = try EmbeddedDevice(
            directory: path, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 4))
        defer { device.close() }
        let keychain = device.keychain(for: Self.caller)
        #expect(find("dk", keychain) == .success("secret of dk"))
        for accessible in ["ak", "ck", "aku", "cku", "akpu"] {
            #expect(find(accessible, keychain) == .failure(.interactionNotAllowed), "\(accessible)")
        }
        guard case .done = keychain.perform(.unlock(passcode: secret("fixture \(format)"))) else {
            Issue.record("the passcode does not unlock")
            return
        }
        for accessible in ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"] {
            #expect(find(accessible, keychain) == .success("secret of \(accessible)"), "\(accessible)")
        }
        guard case .status(let status) = keychain.perform(.status) else {
            Issue.record("no status")
            return
        }
        // One more was deleted and left a tombstone.
        #expect(status.itemCounts == ["genp": 7, "inet": 1])
        #expect(status.quarantinedRows == 0)
    }

    @Test("the device of format 3 trusts the team it trusted, has pinned the other, and knows its app")
    func registries() throws {
        let path = try copy(3)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let device = try EmbeddedDevice(
            directory: path, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 4))
        defer { device.close() }
        let keychain = device.keychain(for: Self.caller)
        guard case .teams(let teams) = keychain.perform(.teams),
            case .applications(let applications) = keychain.perform(.applications),
            case .status(let status) = keychain.perform(.status)
        else {
            Issue.record("no registries")
            return
        }
        #expect(teams.map(\.name).sorted() == ["Example", "Former"])
        #expect(teams.filter { $0.revoked == nil }.map(\.name) == ["Example"])
        #expect(applications.map(\.seen.application) == ["EIF5MUDOJM.com.example.mail"])
        #expect(applications.map(\.seen.accessGroups) == [["fixture"]])
        #expect(applications.map(\.itemCount) == [8])
        #expect(status.removesItemsOfForgottenApps)
    }

    /// Git keeps no modes, and a device that others can enter is refused.
    private func copy(_ format: Int) throws -> String {
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fixtures/Formats/\(format)/device").standardizedFileURL.path
        let path = FileManager.default.temporaryDirectory.appending(path: "device-\(UUID().uuidString)").path
        try FileManager.default.copyItem(atPath: fixture, toPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        let names = try #require(FileManager.default.enumerator(atPath: path)?.allObjects as? [String])
        for name in names {
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isDirectory)
            try FileManager.default.setAttributes(
                [.posixPermissions: isDirectory.boolValue ? 0o700 : 0o600], ofItemAtPath: path + "/" + name)
        }
        return path
    }

    private func find(_ account: String, _ keychain: any Keychain) -> Result<String, ResultCode> {
        let reply = keychain.perform(
            ItemRequest(
                operation: .find,
                query: [
                    QueryPair("class", .string("genp")), QueryPair("acct", .string(account)),
                    QueryPair("r_Data", .boolean(true)),
                ], wantsResult: true))
        guard reply.code == .success, let secret = reply.secrets.first else { return .failure(reply.code) }
        return .success(secret.withBytes { String(decoding: $0, as: UTF8.self) })
    }

    private func secret(_ text: String) -> SecretBox {
        SecretBox(copying: Array(text.utf8))
    }
}
