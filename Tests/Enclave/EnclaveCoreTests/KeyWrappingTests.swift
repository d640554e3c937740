import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@Suite struct KeyWrappingTests {
    private static let classKey = SecretBox(copying: Array(0..<32))
    private static let key = SecretBox(copying: Array(100..<132))
    private static let binding: [UInt8] = [1, 2, 3]

    private static func wrapped(_ keyClass: KeyClass) throws -> WrappedKey {
        let publicKey = try X25519.publicKey(of: classKey)
        let bytes = try KeyWrapping.wrap(
            key, with: keyClass == .fileCompleteUnlessOpen ? .publicHalf(publicKey) : .classKey(classKey),
            use: .item, binding: binding, entropy: SystemEntropy())
        return WrappedKey(keyClass: keyClass, use: .item, binding: binding, bytes: bytes)
    }

    private static func isDamaged(_ wrapped: WrappedKey, classKey: SecretBox = classKey) -> Bool {
        if case .refused(.damaged) = KeyWrapping.unwrap(wrapped, with: classKey) { true } else { false }
    }

    @Test("a wrapped key opens to itself", arguments: [KeyClass.whenUnlocked, .fileCompleteUnlessOpen])
    func roundTrip(_ keyClass: KeyClass) throws {
        let wrapped = try Self.wrapped(keyClass)
        #expect(wrapped.bytes.count == (keyClass == .fileCompleteUnlessOpen ? 72 : 40))
        guard case .key(let key) = KeyWrapping.unwrap(wrapped, with: Self.classKey) else {
            Issue.record("it does not open")
            return
        }
        #expect(key.equals(Self.key))
    }

    @Test("the wrapping key is HMAC-SHA256 of label, use, length and binding") func documentedForm() throws {
        let message = Array("latchkey".utf8) + [1, 0, 0, 0, 3, 1, 2, 3]
        let wrappingKey = HMACSHA256.secret(over: message, key: Self.classKey)
        #expect(try Self.wrapped(.whenUnlocked).bytes == AESKeyWrap.wrap(Self.key, with: wrappingKey))
    }

    @Test(
        "with another use, binding, class key or class it does not open",
        arguments: [
            KeyClass.whenUnlocked, .fileCompleteUnlessOpen,
        ])
    func bound(_ keyClass: KeyClass) throws {
        let good = try Self.wrapped(keyClass)
        for use in KeyUse.allCases where use != .item {
            #expect(Self.isDamaged(WrappedKey(keyClass: keyClass, use: use, binding: good.binding, bytes: good.bytes)))
        }
        for binding in [[], [1, 2], [1, 2, 3, 0], [1, 2, 4]] as [[UInt8]] {
            #expect(Self.isDamaged(WrappedKey(keyClass: keyClass, use: .item, binding: binding, bytes: good.bytes)))
        }
        #expect(Self.isDamaged(good, classKey: SecretBox(copying: Array(1..<33))))
    }

    @Test(
        "wrapped keys of any other length or content are damaged, never a crash",
        arguments: [
            KeyClass.whenUnlocked, .fileCompleteUnlessOpen,
        ])
    func hostile(_ keyClass: KeyClass) throws {
        for count in 0..<200 {
            let bytes = [UInt8](repeating: UInt8(count), count: count)
            #expect(Self.isDamaged(WrappedKey(keyClass: keyClass, use: .item, binding: [], bytes: bytes)))
        }
        let good = try Self.wrapped(keyClass)
        for index in good.bytes.indices where index != 31 || keyClass == .whenUnlocked {
            var bytes = good.bytes
            bytes[index] ^= 0x10
            #expect(Self.isDamaged(WrappedKey(keyClass: keyClass, use: .item, binding: good.binding, bytes: bytes)))
        }
    }
}
