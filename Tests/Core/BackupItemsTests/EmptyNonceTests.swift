import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

@Suite("AES-GCM with an empty nonce")
struct EmptyNonceTests {
    private let key = SecretBox(copying: (0..<32).map { UInt8($0) })

    @Test("what was sealed opens, at every length around a block", arguments: Array(0...65) + [4096, 100_000])
    func roundTrip(_ count: Int) throws {
        let text = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let sealed = unsafe text.withUnsafeBytes { unsafe AESGCM.EmptyNonce.seal($0, key: key) }
        #expect(sealed.count == count + 16)
        let opened = try AESGCM.EmptyNonce.open(sealed, key: key)
        #expect(unsafe opened.withBytes { unsafe Array($0) } == text)
    }

    @Test("every altered bit is noticed")
    func altered() {
        let text = Array("an item of the keychain".utf8)
        let sealed = unsafe text.withUnsafeBytes { unsafe AESGCM.EmptyNonce.seal($0, key: key) }
        for bit in 0..<sealed.count * 8 {
            var altered = sealed
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: CryptoFailure.notAuthentic) { try AESGCM.EmptyNonce.open(altered, key: key) }
        }
        #expect(throws: CryptoFailure.badLength(found: 15)) {
            try AESGCM.EmptyNonce.open(Array(sealed.prefix(15)), key: key)
        }
    }

    /// By the definition: with a text of no bytes the tag is GHASH of the length block of zeros, that is zero, under
    /// AES(key, 0).
    @Test("the tag of nothing is AES(key, 0)")
    func nothing() {
        let sealed = unsafe [UInt8]().withUnsafeBytes { unsafe AESGCM.EmptyNonce.seal($0, key: key) }
        // AES-256 of zeros under 00 01 … 1f, computed with openssl enc -aes-256-ecb.
        #expect(
            sealed == [
                0xF2, 0x90, 0x00, 0xB6, 0x2A, 0x49, 0x9F, 0xD0, 0xA9, 0xF3, 0x9A, 0x6A, 0xDD, 0x2E, 0x77, 0x80,
            ])
    }
}
