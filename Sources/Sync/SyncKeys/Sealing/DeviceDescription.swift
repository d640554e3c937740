package import LatchkeyCryptoSuite
internal import LatchkeySecretMemory
package import LatchkeySyncCore

/// The name and the system of a device, for people. A head has them sealed, so that the store does not learn them.
///
/// Sealed form: nonce (12) || ciphertext || tag (16), of: length (1) || name || length (1) || system || zeros, to a
/// multiple of 64 bytes. Both are UTF-8 of at most 255 bytes.
package struct DeviceDescription: Hashable, Sendable {
    package static let textByteLimit = 255
    private static let step = 64
    /// The longest sealed form.
    package static let sealedByteLimit = 2 * (textByteLimit + 1) + AESGCM.overhead

    package let name: String
    package let system: String

    /// Returns nil if a text is too long.
    package init?(name: String, system: String) {
        guard max(name.utf8.count, system.utf8.count) <= Self.textByteLimit else { return nil }
        self.name = name
        self.system = system
    }

    /// Seals the description for a device's heads in an epoch.
    package func sealed(
        for device: DeviceIdentifier, in circle: CircleIdentifier, _ epoch: ObjectHash, zoneKeyC: ZoneKey,
        entropy: some Entropy
    ) -> [UInt8] {
        sealed(with: Self.key(device, circle, epoch, zoneKeyC), entropy: entropy)
    }

    /// Opens a sealed description. Returns nil if it was sealed for another place, or was altered.
    package init?(
        opening sealed: [UInt8], of device: DeviceIdentifier, in circle: CircleIdentifier, _ epoch: ObjectHash,
        zoneKeyC: ZoneKey
    ) {
        self.init(opening: sealed, with: Self.key(device, circle, epoch, zoneKeyC))
    }

    func sealed(with key: SecretBox, entropy: some Entropy) -> [UInt8] {
        var bytes = [name, system].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        bytes += [UInt8](repeating: 0, count: (Self.step - bytes.count % Self.step) % Self.step)
        return unsafe bytes.withUnsafeBytes {
            unsafe AESGCM.seal($0, key: key, associatedData: [], entropy: entropy)
        }
    }

    init?(opening sealed: [UInt8], with key: SecretBox) {
        guard sealed.count <= Self.sealedByteLimit,
            let opened = try? AESGCM.open(sealed, key: key, associatedData: [])
        else { return nil }
        var rest = unsafe opened.withBytes { unsafe Array($0) }[...]
        func next() -> String? {
            guard let count = rest.popFirst(), rest.count >= Int(count) else { return nil }
            defer { rest = rest.dropFirst(Int(count)) }
            return String(validating: rest.prefix(Int(count)), as: UTF8.self)
        }
        guard let name = next(), let system = next(), rest.count < Self.step, rest.allSatisfy({ $0 == 0 }) else {
            return nil
        }
        self.init(name: name, system: system)
    }

    private static func key(
        _ device: DeviceIdentifier, _ circle: CircleIdentifier, _ epoch: ObjectHash, _ zoneKeyC: ZoneKey
    ) -> SecretBox {
        zoneKeyC.secret.derived(
            SyncInfo(.description).adding(circle).adding(epoch.bytes).adding(device.bytes))
    }
}
