import LatchkeyCryptoSuite
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@Suite struct SystemKeybagTests {
    private static let hardwareKey = HardwareKey(uid: SecretBox(copying: Array(0..<32)))
    private static let otherHardwareKey = HardwareKey(uid: SecretBox(copying: Array(1..<33)))

    private static func fresh() -> SystemKeybag {
        .fresh(on: hardwareKey, settings: DeviceSettings(), entropy: SystemEntropy())
    }

    private static func withPasscode(_ text: String = "1234") throws -> (keybag: SystemKeybag, keys: ClassKeys) {
        let fresh = fresh()
        return try fresh.rewrapped(
            try fresh.openWithoutPasscode(), passcode: SecretBox(text), log2Cost: 4, entropy: SystemEntropy())
    }

    struct Row: Sendable {
        let keyClass: KeyClass
        /// WRAP and length of WPKY with a passcode.
        let wrap: UInt32
        let byteCount: Int
    }

    static let wrapping = [
        Row(keyClass: .fileComplete, wrap: 2, byteCount: 40),
        Row(keyClass: .fileCompleteUnlessOpen, wrap: 2, byteCount: 40),
        Row(keyClass: .fileUntilFirstUserAuthentication, wrap: 2, byteCount: 40),
        Row(keyClass: .fileNone, wrap: 1, byteCount: 40),
        Row(keyClass: .whenUnlocked, wrap: 2, byteCount: 40),
        Row(keyClass: .afterFirstUnlock, wrap: 2, byteCount: 40),
        Row(keyClass: .always, wrap: 1, byteCount: 40),
        Row(keyClass: .whenUnlockedThisDeviceOnly, wrap: 3, byteCount: 48),
        Row(keyClass: .afterFirstUnlockThisDeviceOnly, wrap: 3, byteCount: 48),
        Row(keyClass: .alwaysThisDeviceOnly, wrap: 1, byteCount: 40),
        Row(keyClass: .whenPasscodeSetThisDeviceOnly, wrap: 3, byteCount: 48),
    ]

    @Test("with a passcode each class is wrapped as the table says", arguments: wrapping)
    func wrapped(_ row: Row) throws {
        let keybag = try Self.withPasscode().keybag.keybag
        let key = try #require(keybag.classKey(row.keyClass))
        #expect(key.wrapping.rawValue == row.wrap)
        #expect(key.wrappedKey.count == row.byteCount)
        #expect((key.publicKey != nil) == (row.keyClass == .fileCompleteUnlessOpen))
        #expect(key.keyType == (row.keyClass == .fileCompleteUnlessOpen ? .curve25519 : .aes))
        #expect(keybag.header.wrapping == 3)
    }

    @Test("without a passcode every class but one is under the device key alone") func noPasscode() throws {
        let keybag = Self.fresh()
        #expect(
            Set(keybag.keybag.classKeys.map(\.keyClass))
                == Set(KeyClass.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly }))
        #expect(keybag.keybag.classKeys.allSatisfy { $0.wrapping == .deviceKey && $0.wrappedKey.count == 40 })
        #expect(!keybag.hasPasscode && keybag.keybag.header.wrapping == 1)
        #expect(try keybag.openWithoutPasscode().classes.count == 10)
    }

    @Test("before the passcode is given only the always available classes open") func locked() throws {
        let keybag = try Self.withPasscode().keybag
        #expect(try keybag.openWithoutPasscode().classes == [.fileNone, .always, .alwaysThisDeviceOnly])
    }

    @Test("a system keybag survives being written and read") func roundTrip() throws {
        let (keybag, keys) = try Self.withPasscode()
        let read = SystemKeybag(try Keybag(parsing: keybag.keybag.bytes), hardwareKey: Self.hardwareKey)
        #expect(read.keybag == keybag.keybag)
        let opened = try read.open(with: SecretBox("1234"))
        for keyClass in KeyClass.allCases {
            let key = try #require(opened[keyClass])
            #expect(keys[keyClass]?.equals(key) == true, "\(keyClass)")
        }
        #expect(Set(KeyClass.allCases.compactMap { opened[$0]?.contents }).count == KeyClass.allCases.count)
    }

    @Test("a wrong passcode and a foreign device are told apart") func wrong() throws {
        let keybag = try Self.withPasscode().keybag
        #expect(throws: KeybagUnlockFailure.wrongPasscode) { _ = try keybag.open(with: SecretBox("1235")) }
        let elsewhere = SystemKeybag(keybag.keybag, hardwareKey: Self.otherHardwareKey)
        #expect(throws: KeybagUnlockFailure.wrongPasscode) { _ = try elsewhere.open(with: SecretBox("1234")) }
        #expect(throws: KeybagUnlockFailure.wrongDevice) { _ = try elsewhere.openWithoutPasscode() }
    }

    @Test("changing the passcode changes the wrapping of every class it guards and no class key") func rewrap() throws {
        let (keybag, keys) = try Self.withPasscode()
        let (changed, same) = try keybag.rewrapped(
            keys, passcode: SecretBox("5678"), log2Cost: 4, entropy: SystemEntropy())
        #expect(changed.hasSameClassKeys(as: keybag))
        #expect(changed.keybag.header.salt != keybag.keybag.header.salt)
        for keyClass in KeyClass.allCases {
            let key = try #require(keys[keyClass])
            #expect(same[keyClass]?.equals(key) == true)
            let isSame = changed.keybag.classKey(keyClass)?.wrappedKey == keybag.keybag.classKey(keyClass)?.wrappedKey
            #expect(isSame == (keyClass.availability == .always), "\(keyClass)")
        }
        #expect(throws: KeybagUnlockFailure.wrongPasscode) { _ = try changed.open(with: SecretBox("1234")) }
    }

    @Test("removing the passcode drops one class key; the next passcode begins another") func bound() throws {
        let (keybag, keys) = try Self.withPasscode()
        let bound = KeyClass.whenPasscodeSetThisDeviceOnly
        let (removed, rest) = try keybag.rewrapped(keys, passcode: nil, log2Cost: 4, entropy: SystemEntropy())
        #expect(rest[bound] == nil && removed.keybag.classKey(bound) == nil)
        let (again, others) = try removed.rewrapped(
            rest, passcode: SecretBox("1234"), log2Cost: 4, entropy: SystemEntropy())
        let former = try #require(keys[bound])
        #expect(others[bound]?.equals(former) == false)
        #expect(again.keybag.classKey(bound)?.uuid != keybag.keybag.classKey(bound)?.uuid)
        #expect(!again.hasSameClassKeys(as: keybag))
        for keyClass in KeyClass.allCases where keyClass != bound {
            let key = try #require(keys[keyClass])
            #expect(others[keyClass]?.equals(key) == true)
        }
    }

    @Test("settings are kept in the header") func settings() throws {
        let settings = DeviceSettings(eraseAfterTenFailures: true, gracePeriodSeconds: 0.25)
        let keybag = try Self.withPasscode().keybag.with(settings)
        #expect(try Keybag(parsing: keybag.keybag.bytes).header.settings == settings)
        #expect(try keybag.open(with: SecretBox("1234")).classes.count == 11)
    }

    @Test("derived keys differ by label and device") func derived() {
        let keys = [
            Self.hardwareKey.deviceKey, Self.hardwareKey.derived(label: "a"), Self.hardwareKey.derived(label: "b"),
            Self.otherHardwareKey.deviceKey, Self.otherHardwareKey.derived(label: "a"),
            Self.hardwareKey.tangled(SecretBox("a")), Self.otherHardwareKey.tangled(SecretBox("a")),
        ]
        #expect(Set(keys.map(\.contents)).count == keys.count)
    }
}
