import Foundation
import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeyTestSupport
import Testing

@Suite struct DamageTests {
    static let files = ["uid", "effaceable", "keybag", "attempts", "enrolment", "deleted-keys"]

    /// One that has every file.
    private static func device() throws -> TestDevice {
        let device = try TestDevice.withFinger()
        try device.delete(try device.ownKey())
        return device
    }

    @Test(
        "a flipped bit anywhere in a file is refused with the file's name, and nothing is reset",
        arguments: files)
    func flipped(_ file: String) throws {
        let device = try Self.device()
        let original = try device.directory.bytes(of: file)
        for index in original.indices {
            var bytes = original
            bytes[index] ^= 1 << UInt8(index % 8)
            try device.directory.put(bytes, in: file)
            expectRefusal(device, naming: file, "byte \(index)")
            #expect(try device.directory.bytes(of: file) == bytes)
        }
        try device.directory.put(original, in: file)
        try device.reopened().expectDone(UnlockDevice(passcode("1234")))
    }

    @Test(
        "a file of a newer version is told from damage, and left alone also where the device could do without it",
        arguments: files)
    func newerVersion(_ file: String) throws {
        let device = try Self.device()
        var bytes = try device.directory.bytes(of: file)
        bytes[7] = 2
        try device.directory.put(bytes, in: file)
        do {
            _ = try device.reopened()
            Issue.record("the device opens")
        } catch {
            let text = if case EnclaveRefusal.storage(let reason) = error { reason } else { "\(error)" }
            #expect(text.contains("/\(file) has format 2") && text.contains("Install the newer version"), "\(text)")
            #expect(!text.contains("damaged") && !text.contains("remove it"), "\(text)")
        }
        #expect(try device.directory.bytes(of: file) == bytes)
    }

    @Test(
        "a file that is cut off anywhere is refused",
        arguments: files)
    func truncated(_ file: String) throws {
        let device = try Self.device()
        let original = try device.directory.bytes(of: file)
        for count in stride(from: 0, to: original.count, by: 7) {
            try device.directory.put(Array(original.prefix(count)), in: file)
            expectRefusal(device, naming: file, "\(count) bytes")
        }
    }

    @Test(
        "a file that is gone is refused, not made anew", arguments: ["uid", "effaceable", "keybag", "attempts"])
    func missing(_ file: String) throws {
        let device = try TestDevice.withPasscode()
        try FileManager.default.removeItem(atPath: device.directory.storage + "/" + file)
        expectRefusal(device, naming: file, "missing")
        #expect(!FileManager.default.fileExists(atPath: device.directory.storage + "/" + file))
    }

    @Test("a damaged enrolment says that the device goes on without it, and a missing one is begun anew")
    func dispensable() throws {
        let device = try TestDevice.withFinger()
        let set = try device.biometry.enrolmentSet
        let current = try device.item(.biometryCurrentSet)
        let any = try device.item(.biometryAny)
        var bytes = try device.directory.bytes(of: "enrolment")
        bytes[bytes.count - 1] ^= 1
        try device.directory.put(bytes, in: "enrolment")
        do {
            _ = try device.reopened()
            Issue.record("the device opens")
        } catch EnclaveRefusal.storage(let reason) {
            #expect(reason.contains("or remove it: items that are bound to the fingers"))
        }
        try FileManager.default.removeItem(atPath: device.directory.storage + "/enrolment")
        let next = try device.reopened()
        try next.expectDone(UnlockDevice(passcode("1234")))
        #expect(try next.biometry.enrolmentSet != set)
        let context = try next.matchedContext()
        #expect(next.refusalToOpen(current, with: context) == .invalidated)
        #expect(next.refusalToOpen(any, with: context) == nil)
    }

    @Test("a counter damaged under a running enclave stops passcodes, not keys") func damagedWhileRunning() throws {
        let device = try TestDevice.withPasscode()
        let key = try device.create(.whenUnlocked).get()
        var bytes = try device.directory.bytes(of: "attempts")
        bytes[10] ^= 1
        try device.directory.put(bytes, in: "attempts")
        guard case .storage(let reason) = try device.refusal(of: VerifyPasscode(passcode("1234"))) else {
            Issue.record("a damaged counter is taken as it is")
            return
        }
        #expect(reason.contains("attempts is damaged"))
        #expect(device.refusalToOpen(key) == nil)
    }

    @Test("a file of another device is refused", arguments: files.dropFirst())
    func foreign(_ file: String) throws {
        let device = try Self.device()
        let other = try TestDevice(seed: 2, sensor: ScriptedSensor(.rightIndex))
        try other.expectDone(SetPasscode(passcode("1234")))
        _ = try other.biometry
        try other.delete(try other.ownKey())
        try device.directory.put(try other.directory.bytes(of: file), in: file)
        expectRefusal(device, naming: file == "effaceable" ? "effaceable" : file, "foreign")
    }

    @Test("random bytes in place of a file never crash", arguments: 0..<64)
    func random(seed: Int) throws {
        let device = try Self.device()
        let entropy = SeededEntropy(seed: UInt64(seed))
        let file = Self.files[seed % Self.files.count]
        try device.directory.put(entropy.bytes(seed * 9), in: file)
        expectRefusal(device, naming: file, "seed \(seed)")
    }

    private func expectRefusal(_ device: TestDevice, naming file: String, _ comment: String) {
        do {
            _ = try device.reopened()
            Issue.record("\(file), \(comment): the device opens")
        } catch let failure as StorageFailure {
            #expect(failure.description.contains("/" + file), "\(comment)")
        } catch EnclaveRefusal.storage(let reason) {
            #expect(reason.contains(file), "\(comment)")
        } catch {
            Issue.record("\(file), \(comment): \(error)")
        }
    }
}
