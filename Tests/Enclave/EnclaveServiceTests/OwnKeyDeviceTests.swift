import Foundation
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeyTestSupport
import Testing

/// A key of the enclave is worth nothing without the root of trust of its device.
@Suite struct OwnKeyDeviceTests {
    static let protections = ProtectionClass.allCases.filter {
        $0 != .untilReboot && $0 != .whenPasscodeSetThisDeviceOnly
    }

    @Test("another device opens none, whatever was proved to it", arguments: protections)
    func otherDevice(_ protection: ProtectionClass) throws {
        let device = try TestDevice.withFinger()
        let other = try TestDevice(seed: 2, sensor: ScriptedSensor(.rightIndex))
        try other.expectDone(SetPasscode(passcode("1234")))
        let context = try OwnKeyRuleTests.context(OwnKeyRuleTests.everything, other)
        for flags: AccessControlFlags in [[], .userPresence, .devicePasscode] {
            let key = try device.ownKey(flags, protection)
            for use in OwnKeyUse.allCases { #expect(other.refusal(use, key, with: context) == .damaged) }
            #expect(other.refusal(.sign, key) == .damaged)
            #expect(try other.isGone(key) == .damaged)
        }
        // Nor does it take one for its own while it cannot look inside.
        let key = try device.ownKey([], protection)
        try other.expectDone(LockDevice(immediately: true))
        for use in OwnKeyUse.allCases { #expect(other.refusal(use, key, with: context) == .damaged) }
        #expect(try other.isGone(key) == .damaged)
    }

    /// A device with another UID and the class keys of the first, as after a restored backup.
    private func migrated(_ device: TestDevice) throws -> TestDevice {
        let storage = try FileEnclaveStorage(directory: device.directory.storage)
        let original = SystemKeybag(try device.storedKeybag(), hardwareKey: storage.hardwareKey)
        let keys = try original.openWithoutPasscode()
        let other = try TestDevice(seed: 2)
        let room = try FileEnclaveStorage(directory: other.directory.storage)
        let own = SystemKeybag(try Keybag(parsing: try #require(try room.keybag())), hardwareKey: room.hardwareKey)
        let rewrapped = try own.rewrapped(keys, passcode: nil, log2Cost: 1, entropy: SeededEntropy(seed: 5))
        try room.replaceKeybag(rewrapped.keybag.keybag.bytes)
        return try other.reopened(seed: 6)
    }

    @Test("not even the same class keys on another device open one", arguments: protections)
    func sameClassKeys(_ protection: ProtectionClass) throws {
        let device = try TestDevice()
        let key = try device.ownKey([], protection)
        let item = try device.create(try #require(KeyClass(protection))).get()
        let other = try migrated(device)
        // The class key did come along.
        #expect(other.refusalToOpen(item) == nil)
        for use in OwnKeyUse.allCases { #expect(other.refusal(use, key) == .damaged) }
        #expect(try other.isGone(key) == .damaged)
        #expect(other.refusal(.sign, try other.ownKey([], protection)) == nil)
    }

    @Test("a copy of the device without its UID does not start, nor with the UID of another") func copied() throws {
        let device = try TestDevice()
        let key = try device.ownKey()
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: device.directory.storage, toPath: copy.storage)
        try FileManager.default.removeItem(atPath: copy.storage + "/uid")
        #expect(throws: StorageFailure.missing(path: copy.storage + "/uid")) { _ = try TestDevice(in: copy) }
        let other = try TestDevice(seed: 2)
        try copy.put(try other.directory.bytes(of: "uid"), in: "uid")
        chmod(copy.storage + "/uid", 0o600)
        #expect(throws: EnclaveRefusal.self) { _ = try TestDevice(in: copy) }
        // With nothing but the list of deleted keys beside it, a new UID is not made either.
        try device.delete(key)
        let rest = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: rest.storage, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try rest.put(try device.directory.bytes(of: "deleted-keys"), in: "deleted-keys")
        #expect(throws: StorageFailure.missing(path: rest.storage + "/uid")) { _ = try TestDevice(in: rest) }
        // The whole directory is the device.
        let whole = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: device.directory.storage, toPath: whole.storage)
        #expect(try TestDevice(in: whole, seed: 4).refusal(.sign, key) == .deleted)
    }
}
