import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

@testable import LatchkeyFileFormat

/// The cipher of files is swift-crypto's where the package has that: it must agree with libcrypto in every byte.
@Suite struct FileCipherTests {
    private static let key = SecretBox(copying: (0..<32).map { UInt8(truncatingIfNeeded: $0 * 7) })

    private typealias Sealed = (text: [UInt8], tag: [UInt8])

    private static func sealed(_ text: [UInt8], counter: UInt64, _ seal: (SealCall) -> Void) -> Sealed {
        var output = [UInt8](repeating: 0, count: text.count)
        var tag = [UInt8](repeating: 0, count: 16)
        text.withUnsafeBytes { text in
            output.withUnsafeMutableBytes { output in
                tag.withUnsafeMutableBytes { tag in
                    seal(SealCall(text: text, nonce: .init(counter: counter, purpose: 2), output: output, tag: tag))
                }
            }
        }
        return (output, tag)
    }

    private struct SealCall {
        let text: UnsafeRawBufferPointer
        let nonce: BlockCipher.Nonce
        let output: UnsafeMutableRawBufferPointer
        let tag: UnsafeMutableRawBufferPointer
    }

    private static func opened(_ sealed: Sealed, counter: UInt64, _ cipher: FileCipher) -> [UInt8]? {
        var output = sealed.text
        let isAuthentic = output.withUnsafeMutableBytes { output in
            sealed.tag.withUnsafeBytes { tag in
                cipher.open(
                    UnsafeRawBufferPointer(output), nonce: .init(counter: counter, purpose: 2), tag: tag, into: output)
            }
        }
        if !isAuthentic { #expect(output.allSatisfy { $0 == 0 }, "a refused block is wiped") }
        return isAuthentic ? output : nil
    }

    @Test("what it seals is what libcrypto seals, and it opens that") func agreesWithLibcrypto() {
        let cipher = FileCipher(key: Self.key, direction: .sealing)
        let opening = FileCipher(key: Self.key, direction: .opening)
        let reference = BlockCipher(key: Self.key, direction: .sealing)
        for counter in [0, 1, 255, 1 << 32, UInt64.max] {
            let text = SeededEntropy(seed: counter).bytes(4096)
            let found = Self.sealed(text, counter: counter) {
                cipher.seal($0.text, nonce: $0.nonce, into: $0.output, tag: $0.tag)
            }
            let expected = Self.sealed(text, counter: counter) {
                reference.seal($0.text, nonce: $0.nonce, into: $0.output, tag: $0.tag)
            }
            #expect(found.text == expected.text && found.tag == expected.tag, "counter \(counter)")
            #expect(Self.opened(expected, counter: counter, opening) == text)
        }
    }

    @Test("an altered block, tag or nonce opens nothing and leaves nothing") func altered() {
        let cipher = FileCipher(key: Self.key, direction: .sealing)
        let text = SeededEntropy(seed: 9).bytes(4096)
        let sealed = Self.sealed(text, counter: 1) {
            cipher.seal($0.text, nonce: $0.nonce, into: $0.output, tag: $0.tag)
        }
        let opening = FileCipher(key: Self.key, direction: .opening)
        for index in [0, 2000, 4095] {
            var altered = sealed
            altered.text[index] ^= 1
            #expect(Self.opened(altered, counter: 1, opening) == nil)
        }
        var altered = sealed
        altered.tag[15] ^= 0x80
        #expect(Self.opened(altered, counter: 1, opening) == nil)
        #expect(Self.opened(sealed, counter: 2, opening) == nil)
        #expect(Self.opened(sealed, counter: 1, opening) == text)
    }
}
