import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@Suite struct ApplicationPasswordTests {
    private static let classKey = SecretBox(copying: Array(0..<32))
    private static let key = SecretBox(copying: Array(100..<132))
    private static let binding: [UInt8] = [1, 2, 3]
    private static let passwordKey = SecretBox(copying: Array(50..<82))
    private static let otherKey = SecretBox(copying: Array(51..<83))

    private static func wrapped() throws -> WrappedKey {
        let bytes = try KeyWrapping.wrap(
            key, with: .classKey(classKey), use: .item, binding: binding, passwordKey: passwordKey,
            entropy: SystemEntropy())
        return WrappedKey(keyClass: .whenUnlocked, use: .item, binding: binding, bytes: bytes)
    }

    private static func refusal(
        _ wrapped: WrappedKey, classKey: SecretBox = classKey, passwordKey: SecretBox?
    ) -> KeyRefusal? {
        switch KeyWrapping.unwrap(wrapped, with: classKey, passwordKey: passwordKey) {
        case .key(let opened):
            #expect(opened.equals(key))
            return nil
        case .refused(let refusal):
            return refusal
        }
    }

    @Test("the password's layer is inside, the class key's outside") func documentedForm() throws {
        let message = Array("latchkey".utf8) + [1, 0, 0, 0, 3, 1, 2, 3]
        let inner = AESKeyWrap.wrap(Self.key, with: HMACSHA256.secret(over: message, key: Self.passwordKey))
        let outer = AESKeyWrap.wrap(
            SecretBox(copying: inner), with: HMACSHA256.secret(over: message, key: Self.classKey))
        #expect(try Self.wrapped().bytes == outer)
        #expect(outer.count == 48)
    }

    @Test("a wrong password is told from damage") func told() throws {
        let wrapped = try Self.wrapped()
        #expect(Self.refusal(wrapped, passwordKey: Self.passwordKey) == nil)
        #expect(Self.refusal(wrapped, passwordKey: Self.otherKey) == .wrongApplicationPassword)
        #expect(Self.refusal(wrapped, passwordKey: nil) == .damaged)
        #expect(Self.refusal(wrapped, classKey: Self.otherKey, passwordKey: Self.passwordKey) == .damaged)
        for index in wrapped.bytes.indices {
            var bytes = wrapped.bytes
            bytes[index] ^= 1
            let altered = WrappedKey(keyClass: .whenUnlocked, use: .item, binding: Self.binding, bytes: bytes)
            #expect(Self.refusal(altered, passwordKey: Self.passwordKey) == .damaged)
            #expect(!KeyWrapping.isGenuine(altered, with: Self.classKey))
        }
        for index in Self.binding.indices {
            var binding = Self.binding
            binding[index] ^= 1
            let altered = WrappedKey(keyClass: .whenUnlocked, use: .item, binding: binding, bytes: wrapped.bytes)
            #expect(Self.refusal(altered, passwordKey: Self.passwordKey) == .damaged)
            #expect(!KeyWrapping.isGenuine(altered, with: Self.classKey))
        }
        #expect(KeyWrapping.isGenuine(wrapped, with: Self.classKey))
    }

    @Test("a key without a password's layer does not open with one") func withoutLayer() throws {
        let bytes = try KeyWrapping.wrap(
            Self.key, with: .classKey(Self.classKey), use: .item, binding: Self.binding, entropy: SystemEntropy())
        let wrapped = WrappedKey(keyClass: .whenUnlocked, use: .item, binding: Self.binding, bytes: bytes)
        #expect(Self.refusal(wrapped, passwordKey: Self.passwordKey) == .damaged)
        #expect(KeyWrapping.isGenuine(wrapped, with: Self.classKey))
    }

    @Test("the password's key is of the password and of the device") func derived() throws {
        let device = HardwareKey(uid: SecretBox(copying: [UInt8](repeating: 1, count: 32)))
        let other = HardwareKey(uid: SecretBox(copying: [UInt8](repeating: 2, count: 32)))
        func key(_ text: String, _ device: HardwareKey, _ cost: UInt32 = 4) throws -> SecretBox {
            try ApplicationPassword.key(for: SecretBox(copying: Array(text.utf8)), on: device, log2Cost: cost)
        }
        let first = try key("secret", device)
        #expect(first.equals(try key("secret", device)))
        #expect(!first.equals(try key("secres", device)))
        #expect(!first.equals(try key("", device)))
        #expect(!first.equals(try key("secret", other)))
        #expect(!first.equals(try key("secret", device, 5)))

        // As it is documented: scrypt, salted by the device, then HMAC under a key of the device.
        let salt = device.derived(label: "application password salt").withBytes { Array($0) }
        let stretched = try PasswordKey.scrypt(
            SecretBox(copying: Array("secret".utf8)), salt: salt, cost: 16, blockSize: 8, lanes: 1, count: 32)
        let expected = stretched.withBytes {
            HMACSHA256.secret(over: $0, key: device.derived(label: "application password"))
        }
        #expect(first.equals(expected))
    }

    @Test("sealed class keys open to what they were, and hold no class key in the open") func sealed() throws {
        var keys = ClassKeys()
        keys[.whenUnlocked] = Self.key
        keys[.fileComplete] = Self.otherKey
        let set = try #require(EnrolmentSet(Array(0..<16)))
        let sealed = SealedClassKeys(keys, for: set, entropy: SystemEntropy())
        let opened = sealed.opened()
        #expect(opened.classes == [.whenUnlocked, .fileComplete])
        #expect(try #require(opened[.whenUnlocked]).equals(Self.key))
        #expect(try #require(opened[.fileComplete]).equals(Self.otherKey))
        #expect(sealed.enrolmentSet == set)
        let dump = Mirror(reflecting: sealed).children.compactMap { $0.value as? [KeyClass: [UInt8]] }
        #expect(dump.count == 1)
        for bytes in dump[0].values { #expect(bytes.count == 40 && !bytes.starts(with: Array(100..<108))) }
    }
}
