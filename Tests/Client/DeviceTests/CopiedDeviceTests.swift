import Foundation
import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

/// A copied device directory, with and without its root of trust.
@Suite("A copied device")
struct CopiedDeviceTests {
    private static let caller = Caller(name: "copy", accessGroups: ["copy"])

    /// A device with one key in its enclave, closed again.
    private final class Original {
        private let directory: String
        let path: String
        let blob: [UInt8]

        init(_ protection: ProtectionClass) throws {
            directory = FileManager.default.temporaryDirectory.appending(path: "copies-\(UUID().uuidString)").path
            path = directory + "/original"
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let device = try CopiedDeviceTests.open(path)
            defer { device.close() }
            let keychain = device.keychain(for: CopiedDeviceTests.caller)
            let control = try AccessControl(protection: protection, flags: .privateKeyUsage)
            blob = try keychain.ask(CreateEnclaveKey(under: control)).blob
            let added = keychain.perform(
                ItemRequest(
                    operation: .add,
                    query: [
                        QueryPair("class", .string("keys")), QueryPair("tkid", .string("com.apple.setoken")),
                        QueryPair("toid", .data(blob)), QueryPair("labl", .string("copied")),
                    ], wantsResult: false))
            #expect(added.code == .success, "\(String(describing: added.refusal))")
        }

        deinit {
            try? FileManager.default.removeItem(atPath: directory)
        }

        func copy() throws -> String {
            let copy = directory + "/copy-\(UUID().uuidString)"
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            return copy
        }
    }

    private static func open(_ path: String) throws -> EmbeddedDevice {
        try EmbeddedDevice(
            directory: path, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 4))
    }

    private func sign(_ blob: [UInt8], _ keychain: any Keychain) -> ResultCode {
        let digest = sha256(Array("message".utf8))
        do throws(EnclaveKeyRefusal) {
            _ = try keychain.ask(SignWithKey(blob, digest: digest))
            return .success
        } catch {
            return error.code
        }
    }

    private func find(_ keychain: any Keychain) -> ResultCode {
        keychain.perform(
            ItemRequest(
                operation: .find,
                query: [
                    QueryPair("class", .string("keys")), QueryPair("labl", .string("copied")),
                    QueryPair("r_Ref", .boolean(true)),
                ], wantsResult: true)
        ).code
    }

    @Test("with all its files signs: the root of trust is a file", arguments: ProtectionClass.ofNewKeys)
    func whole(_ protection: ProtectionClass) throws {
        let original = try Original(protection)
        let copy = try original.copy()
        let device = try Self.open(copy)
        defer { device.close() }
        let keychain = device.keychain(for: Self.caller)
        #expect(find(keychain) == .success)
        #expect(sign(original.blob, keychain) == .success)
    }

    @Test("without its root of trust has no key", arguments: ProtectionClass.ofNewKeys)
    func withoutEnclave(_ protection: ProtectionClass) throws {
        let original = try Original(protection)
        let copy = try original.copy()
        try FileManager.default.removeItem(atPath: copy + "/enclave")
        try expectNothing(at: copy, original.blob)
    }

    @Test("with the root of trust of another device has no key", arguments: ProtectionClass.ofNewKeys)
    func foreignEnclave(_ protection: ProtectionClass) throws {
        let original = try Original(protection)
        let copy = try original.copy()
        let other = try Original(protection)
        try FileManager.default.removeItem(atPath: copy + "/enclave")
        try FileManager.default.copyItem(atPath: other.path + "/enclave", toPath: copy + "/enclave")
        try expectNothing(at: copy, original.blob)
    }

    @Test("without one file of its root of trust does not open", arguments: ["uid", "effaceable"])
    func withoutOneFile(_ file: String) throws {
        let original = try Original(.whenUnlocked)
        let copy = try original.copy()
        try FileManager.default.removeItem(atPath: copy + "/enclave/" + file)
        let failure = #expect(throws: DeviceFailure.self) { try Self.open(copy) }
        #expect(failure?.description.contains(file) ?? false, "\(String(describing: failure))")
    }

    /// The wrapped key is of no use, beside its database and beside any other.
    private func expectNothing(at path: String, _ blob: [UInt8]) throws {
        let device = try Self.open(path)
        defer { device.close() }
        let keychain = device.keychain(for: Self.caller)
        #expect(find(keychain) == .itemNotFound)
        #expect(sign(blob, keychain) == .itemNotFound)
        let empty = path + "-empty"
        try FileManager.default.createDirectory(
            atPath: empty, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let fresh = try Self.open(empty)
        defer { fresh.close() }
        #expect(sign(blob, fresh.keychain(for: Self.caller)) == .itemNotFound)
    }
}

extension ProtectionClass {
    /// Those in which a device without a passcode makes keys.
    static let ofNewKeys: [ProtectionClass] = [.whenUnlocked, .afterFirstUnlockThisDeviceOnly, .always]
}
