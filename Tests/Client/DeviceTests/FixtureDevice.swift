import Foundation
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// A copy of the device of a format, open and locked. It is closed and gone with its last owner.
final class FixtureDevice: Sendable {
    let keychain: any Keychain
    private let device: EmbeddedDevice
    private let path: String
    private let passcode: String

    init(ofFormat format: Int) throws {
        path = try Self.copy(format)
        passcode = "fixture \(format)"
        device = try EmbeddedDevice(
            directory: path, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 4))
        keychain = device.keychain(for: Caller(name: "fixture", accessGroups: ["fixture"]))
    }

    deinit {
        device.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    static func directory(ofFormat format: Int) -> URL {
        PackageFolder.file("Fixtures/Formats/\(format)")
    }

    /// Git keeps no modes, and a device that others can enter is refused.
    private static func copy(_ format: Int) throws -> String {
        let fixture = directory(ofFormat: format).appending(path: "device").path
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

    func unlock() throws {
        guard (try? keychain.ask(UnlockDevice(SecretBox(copying: Array(passcode.utf8))))) != nil else {
            throw ResultCode.authFailed
        }
    }

    func find(_ query: [String: PropertyValue]) -> ItemReply {
        keychain.perform(
            ItemRequest(
                operation: .find, query: query.map { QueryPair($0.key, $0.value) }, wantsResult: true))
    }

    /// The data of the one item that fits.
    func data(_ query: [String: PropertyValue]) -> Result<SecretBox, ResultCode> {
        let reply = find(query.merging(["r_Data": .boolean(true)]) { $1 })
        guard reply.code == .success, let secret = reply.secrets.first else { return .failure(reply.code) }
        return .success(secret)
    }

    func password(_ account: String) -> Result<String, ResultCode> {
        data(["class": .string("genp"), "acct": .string(account)]).map {
            $0.withBytes { String(decoding: $0, as: UTF8.self) }
        }
    }
}
