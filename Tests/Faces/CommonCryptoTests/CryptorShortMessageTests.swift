import CommonCrypto
import Testing

/// Messages about as long as those that `CCCrypt` takes through its cipher in one piece.
@Suite struct CryptorShortMessageTests {
    private static let lengths = [0, 1, 15, 16, 17, 239, 240, 241, 248, 255, 256, 257, 263, 264, 271, 272, 273, 288]

    @Test("in one call they are what they are in pieces, both ways", arguments: TestedCipher.blockCiphers)
    func lengths(_ cipher: TestedCipher) throws {
        for mode in TestedCipher.blockModes {
            let call = CipherCall(
                algorithm: cipher.algorithm, mode: mode, padding: ccPKCS7Padding,
                key: TestedCipher.bytes(cipher.keyLengths[0]), iv: TestedCipher.bytes(cipher.block, from: 3))
            for length in Self.lengths {
                let message = TestedCipher.bytes(length)
                let ciphertext = try call.encrypt(message, pieces: [1])
                #expect(try call.oneShot(kCCEncrypt, message) == ciphertext, "\(mode), \(length) bytes")
                #expect(try call.oneShot(kCCDecrypt, ciphertext) == message, "\(mode), \(length) bytes")
            }
        }
    }

    @Test("the output may lie over the input, and what is behind it stays")
    func overlaps() throws {
        let call = CipherCall(padding: ccPKCS7Padding, key: TestedCipher.bytes(16), iv: TestedCipher.bytes(16, from: 3))
        for length in Self.lengths {
            let message = TestedCipher.bytes(length)
            let ciphertext = try call.encrypt(message)
            for (operation, input, expected) in [(kCCEncrypt, message, ciphertext), (kCCDecrypt, ciphertext, message)] {
                for (from, to) in [(0, 0), (5, 0), (0, 5), (16, 0), (0, 16)] {
                    let room = GuardedBytes(count: max(from + input.count, to + ciphertext.count))
                    UnsafeMutableRawBufferPointer(rebasing: room.bytes[from..<(from + input.count)])
                        .copyBytes(from: input)
                    var moved = 0
                    let status = CCCrypt(
                        CCOperation(operation), 0, CCOptions(kCCOptionPKCS7Padding), call.key, 16, call.iv,
                        room.start + from, input.count, room.start + to, ciphertext.count, &moved)
                    #expect(status == kCCSuccess && moved == expected.count)
                    #expect(Array(room.bytes[to..<(to + moved)]) == expected, "\(length) bytes, \(from) to \(to)")
                    #expect(room.isIntactBefore)
                }
            }
        }
    }
}
