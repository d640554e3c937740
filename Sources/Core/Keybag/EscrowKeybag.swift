package import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// The keybag of a host that may back up and restore without the passcode: the device's own class keys, wrapped under a
/// random key that stays on the device. The host keeps the keybag; neither half opens anything alone.
///
/// The class "when passcode set" is not in it, as on iOS, nor are those that never need the passcode. It names the salt of
/// the passcode under which it was made, and ends with that passcode.
package struct EscrowKeybag: Sendable {
    /// More than one of ten classes has; longer ones are refused.
    package static let byteLimit = 4096

    package let keybag: Keybag
    private let hardwareKey: HardwareKey

    private init(_ keybag: Keybag, hardwareKey: HardwareKey) {
        self.keybag = keybag
        self.hardwareKey = hardwareKey
    }

    /// Reads the keybag that a host presents; nil for any other bytes.
    package init?(parsing bytes: [UInt8], on hardwareKey: HardwareKey) {
        guard bytes.count <= Self.byteLimit, let keybag = try? Keybag(parsing: bytes),
            keybag.header.kind == .escrow
        else { return nil }
        self.init(keybag, hardwareKey: hardwareKey)
    }

    /// Makes the keybag of a host, and the key that opens it.
    package static func made(
        of keys: ClassKeys, for system: SystemKeybag, on hardwareKey: HardwareKey, entropy: any Entropy
    ) -> (keybag: EscrowKeybag, key: SecretBox) {
        let key = unsafe SecretBox(count: 32) { unsafe entropy.fill($0) }
        let classes = KeyClass.allCases.filter {
            $0.availability != .always && $0 != .whenPasscodeSetThisDeviceOnly
        }
        let classKeys = classes.compactMap { keyClass in
            keys[keyClass].map {
                SystemKeybag.wrap(
                    $0, of: keyClass, uuid: entropy.bytes(16), passcodeKey: key, hardwareKey: hardwareKey)
            }
        }
        let header = KeybagHeader(uuid: entropy.bytes(16), escrowUnder: system.passcodeSalt)
        return (EscrowKeybag(Keybag(header: header, classKeys: classKeys), hardwareKey: hardwareKey), key)
    }

    package var uuid: [UInt8] { keybag.header.uuid }

    /// Binds the key of this keybag to it and to the passcode that is set.
    package func binding(in system: SystemKeybag) -> [UInt8] { uuid + system.passcodeSalt }

    /// Opens the class keys.
    package func open(with key: SecretBox) throws(KeybagUnlockFailure) -> ClassKeys {
        let system = SystemKeybag(keybag, hardwareKey: hardwareKey)
        return try system.open { _ in
            true
        } passcodeKey: {
            key
        }
    }
}

extension KeybagHeader {
    /// Makes the header of a host's keybag.
    fileprivate init(uuid: [UInt8], escrowUnder salt: [UInt8]) {
        let records = [
            KeybagRecord(.version, 5), KeybagRecord(.type, Kind.escrow.rawValue), KeybagRecord(.uuid, uuid),
            KeybagRecord(.wrapping, ([.deviceKey, .passcodeKey] as ClassKeyWrapping).rawValue),
            KeybagRecord(.salt, salt),
        ]
        do {
            try self.init(records: records)
        } catch {
            preconditionFailure("the records of a host's keybag are within the limits: \(error)")
        }
    }
}

extension SystemKeybag {
    /// New for each passcode; empty without one.
    package var passcodeSalt: [UInt8] { keybag.header.passcodeParameters?.salt ?? [] }
}
