package import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// The keybag of a running device, with its creation, opening and rewrapping.
///
/// With a passcode, class keys are wrapped by the passcode key, those of ThisDeviceOnly classes by the device key
/// inside; the always-available ones by the device key alone. Without a passcode everything is under the device key
/// and the class "when passcode set" has no key.
package struct SystemKeybag: Sendable {
    package let keybag: Keybag
    private let hardwareKey: HardwareKey

    package init(_ keybag: Keybag, hardwareKey: HardwareKey) {
        self.keybag = keybag
        self.hardwareKey = hardwareKey
    }

    package var hasPasscode: Bool { keybag.header.passcodeParameters != nil }
    package var settings: DeviceSettings { keybag.header.settings }
    package var passcodeParameters: PasscodeParameters? { keybag.header.passcodeParameters }
    package var uuid: [UInt8] { keybag.header.uuid }

    /// Makes the keybag of an empty device: new class keys, no passcode.
    package static func fresh(
        on hardwareKey: HardwareKey, settings: DeviceSettings, entropy: any Entropy
    ) -> SystemKeybag {
        let header = KeybagHeader(uuid: entropy.bytes(16), passcodeParameters: nil, settings: settings)
        let classKeys = KeyClass.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly }.map { keyClass in
            wrap(newKey(entropy), of: keyClass, uuid: entropy.bytes(16), passcodeKey: nil, hardwareKey: hardwareKey)
        }
        return SystemKeybag(Keybag(header: header, classKeys: classKeys), hardwareKey: hardwareKey)
    }

    /// Opens the class keys that do not need a passcode at present.
    package func openWithoutPasscode() throws(KeybagUnlockFailure) -> ClassKeys {
        try open {
            !$0.contains(.passcodeKey)
        } passcodeKey: {
            nil
        }
    }

    /// Opens all class keys. Blocks while the passcode is stretched.
    package func open(with passcode: SecretBox) throws(KeybagUnlockFailure) -> ClassKeys {
        guard let parameters = keybag.header.passcodeParameters else { throw .missingRecord(.scryptCost) }
        let passcodeKey = try parameters.key(for: passcode, on: hardwareKey)
        return try open { _ in
            true
        } passcodeKey: {
            passcodeKey
        }
    }

    /// Wraps the same class keys under another passcode, or under none. The key of "when passcode set" ends with the
    /// passcode, and the next passcode makes a new one. Blocks while the passcode is stretched.
    /// - Parameter tryMicroseconds: the measured time of stretching on this machine, if any.
    package func rewrapped(
        _ keys: ClassKeys, passcode: SecretBox?, log2Cost: UInt32, tryMicroseconds: UInt32? = nil,
        entropy: any Entropy
    ) throws(KeybagUnlockFailure) -> (keybag: SystemKeybag, keys: ClassKeys) {
        let parameters = passcode.map { passcode in
            PasscodeParameters(
                salt: entropy.bytes(PasscodeParameters.saltByteCount), log2Cost: log2Cost,
                strength: PasscodeStrength(of: passcode), tryMicroseconds: tryMicroseconds)
        }
        var passcodeKey: SecretBox?
        if let passcode, let parameters { passcodeKey = try parameters.key(for: passcode, on: hardwareKey) }

        var keys = keys
        var identifiers: [KeyClass: [UInt8]] = [:]
        for wrapped in keybag.classKeys { wrapped.keyClass.map { identifiers[$0] = wrapped.uuid } }
        let bound = KeyClass.whenPasscodeSetThisDeviceOnly
        if passcode == nil {
            keys[bound] = nil
        } else if keys[bound] == nil {
            keys[bound] = Self.newKey(entropy)
            identifiers[bound] = entropy.bytes(16)
        }
        let classKeys = KeyClass.allCases.compactMap { keyClass in
            keys[keyClass].map { key in
                Self.wrap(
                    key, of: keyClass, uuid: identifiers[keyClass] ?? entropy.bytes(16), passcodeKey: passcodeKey,
                    hardwareKey: hardwareKey)
            }
        }
        precondition(classKeys.count >= KeyClass.allCases.count - 1, "a passcode is changed with all class keys open")
        let header = KeybagHeader(uuid: uuid, passcodeParameters: parameters, settings: settings)
        let keybag = SystemKeybag(Keybag(header: header, classKeys: classKeys), hardwareKey: hardwareKey)
        return (keybag, keys)
    }

    /// Returns the same keybag with other settings.
    package func with(_ settings: DeviceSettings) -> SystemKeybag {
        let header = KeybagHeader(
            uuid: uuid, passcodeParameters: keybag.header.passcodeParameters, settings: settings)
        return SystemKeybag(Keybag(header: header, classKeys: keybag.classKeys), hardwareKey: hardwareKey)
    }

    /// Returns true if both hold the same class keys, however they are wrapped.
    package func hasSameClassKeys(as other: SystemKeybag) -> Bool {
        uuid == other.uuid
            && Dictionary(grouping: keybag.classKeys, by: \.classNumber).mapValues { $0.map(\.uuid) }
                == Dictionary(grouping: other.keybag.classKeys, by: \.classNumber).mapValues { $0.map(\.uuid) }
    }

    /// The public half of class B, with which files can be made while locked.
    package var classBPublicKey: [UInt8]? { keybag.classKey(.fileCompleteUnlessOpen)?.publicKey }

    func open(
        where isWanted: (ClassKeyWrapping) -> Bool, passcodeKey: () -> SecretBox?
    ) throws(KeybagUnlockFailure) -> ClassKeys {
        var keys = ClassKeys()
        for keyClass in KeyClass.allCases {
            guard let wrapped = keybag.classKey(keyClass), isWanted(wrapped.wrapping) else { continue }
            keys[keyClass] = try open(wrapped, passcodeKey: passcodeKey())
        }
        return keys
    }

    private func open(
        _ wrapped: WrappedClassKey, passcodeKey: SecretBox?
    ) throws(KeybagUnlockFailure) -> SecretBox {
        var bytes = wrapped.wrappedKey
        if wrapped.wrapping.contains(.passcodeKey) {
            guard let passcodeKey else { throw .wrongPasscode }
            let inner: SecretBox
            do { inner = try AESKeyWrap.unwrap(bytes, with: passcodeKey) } catch { throw .wrongPasscode }
            guard wrapped.wrapping.contains(.deviceKey) else { return inner }
            // Still wrapped by the device key, so it is not secret yet.
            bytes = unsafe inner.withBytes { unsafe Array($0) }
        }
        guard wrapped.wrapping.contains(.deviceKey) else { throw .unknownWrapping(wrapped.wrapping.rawValue) }
        do { return try AESKeyWrap.unwrap(bytes, with: hardwareKey.deviceKey) } catch { throw .wrongDevice }
    }

    private static func newKey(_ entropy: any Entropy) -> SecretBox {
        unsafe SecretBox(count: 32) { unsafe entropy.fill($0) }
    }

    static func wrap(
        _ key: SecretBox, of keyClass: KeyClass, uuid: [UInt8], passcodeKey: SecretBox?, hardwareKey: HardwareKey
    ) -> WrappedClassKey {
        var wrapping: ClassKeyWrapping = []
        if passcodeKey != nil, keyClass.availability != .always { wrapping.insert(.passcodeKey) }
        if keyClass.isThisDeviceOnly || wrapping.isEmpty { wrapping.insert(.deviceKey) }
        var layer = key
        var bytes: [UInt8] = []
        if wrapping.contains(.deviceKey) {
            bytes = AESKeyWrap.wrap(layer, with: hardwareKey.deviceKey)
            layer = SecretBox(copying: bytes)
        }
        if wrapping.contains(.passcodeKey), let passcodeKey {
            bytes = AESKeyWrap.wrap(layer, with: passcodeKey)
        }
        var publicKey: [UInt8]?
        if keyClass == .fileCompleteUnlessOpen {
            guard let half = try? X25519.publicKey(of: key) else {
                preconditionFailure("any 32 bytes are an X25519 private key")
            }
            publicKey = half
        }
        return WrappedClassKey(
            uuid: uuid, keyClass: keyClass, wrapping: wrapping, wrappedKey: bytes, publicKey: publicKey)
    }
}
