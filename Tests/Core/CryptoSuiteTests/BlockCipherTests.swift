import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

@Suite struct BlockCipherTests {
    private static let key = SecretBox(copying: [UInt8](repeating: 0x42, count: 32))

    private static func sealed(_ cipher: BlockCipher, _ text: [UInt8], counter: UInt64) -> (text: [UInt8], tag: [UInt8])
    {
        var output = [UInt8](repeating: 0, count: text.count)
        var tag = [UInt8](repeating: 0, count: 16)
        text.withUnsafeBytes { text in
            output.withUnsafeMutableBytes { output in
                tag.withUnsafeMutableBytes { tag in
                    cipher.seal(text, nonce: .init(counter: counter, purpose: 3), into: output, tag: tag)
                }
            }
        }
        return (output, tag)
    }

    private static func opened(_ sealed: (text: [UInt8], tag: [UInt8]), counter: UInt64) -> [UInt8]? {
        let cipher = BlockCipher(key: key, direction: .opening)
        var output = sealed.text
        let isAuthentic = output.withUnsafeMutableBytes { output in
            sealed.tag.withUnsafeBytes { tag in
                cipher.open(
                    UnsafeRawBufferPointer(output), nonce: .init(counter: counter, purpose: 3), tag: tag, into: output)
            }
        }
        if !isAuthentic { #expect(output.allSatisfy { $0 == 0 }) }
        return isAuthentic ? output : nil
    }

    @Test("many blocks under one key are what AES-GCM gives for each") func sameAsOneShot() throws {
        let cipher = BlockCipher(key: Self.key, direction: .sealing)
        for counter in 0..<5 as Range<UInt64> {
            let text = [UInt8](repeating: UInt8(counter), count: 4096)
            let nonce = [UInt8](repeating: 0, count: 7) + [UInt8(counter), 0, 0, 0, 3]
            let expected = text.withUnsafeBytes { AESGCM.seal($0, key: Self.key, nonce: nonce, associatedData: []) }
            let sealed = Self.sealed(cipher, text, counter: counter)
            #expect(sealed.text + sealed.tag == Array(expected.dropFirst(12)))
            #expect(Self.opened(sealed, counter: counter) == text)
        }
    }

    @Test("an altered block, tag or nonce opens nothing and leaves nothing") func altered() {
        let sealed = Self.sealed(BlockCipher(key: Self.key, direction: .sealing), [1, 2, 3, 4], counter: 1)
        #expect(Self.opened(([0] + sealed.text.dropFirst(), sealed.tag), counter: 1) == nil)
        #expect(Self.opened((sealed.text, [sealed.tag[0] ^ 1] + sealed.tag.dropFirst()), counter: 1) == nil)
        #expect(Self.opened(sealed, counter: 2) == nil)
        #expect(Self.opened(sealed, counter: 1) == [1, 2, 3, 4])
    }
}
