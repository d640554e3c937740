import LatchkeyCryptoSuite
import LatchkeyRNCryptorFormat
import LatchkeySecretMemory
import Testing

@Suite("RNCryptor messages in pieces")
struct PieceTests {
    @Test("are the same, whatever the pieces", arguments: MessageHeader.Version.allCases, CredentialKind.allCases)
    func pieces(_ version: MessageHeader.Version, _ kind: CredentialKind) throws {
        let keys = try #require(Message.keys)
        let header = Message.header(version, kind)
        for count in [0, 1, 15, 16, 17, 31, 32, 33, 48, 1000] {
            let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let message = Message.encrypt(plaintext, keys: keys, header: header)
            #expect(message.count == MessageSize.message(plaintextByteCount: count, kind))
            #expect(MessageSize.plaintext(messageByteCount: message.count, header)?.contains(count) == true)
            for size in [1, 2, 7, 15, 16, 17, 31, 32, 33, 64] {
                #expect(Message.encrypt(plaintext, keys: keys, header: header, pieces: size) == message)
                #expect(try Message.decrypt(message, pieces: size) { _ in keys } == plaintext)
                try Message.verify(message, pieces: size) { _ in keys }
            }
        }
    }

    @Test("longer than the pieces that cipher and code share")
    func long() throws {
        let keys = try #require(Message.keys)
        let plaintext = (0..<100_001).map { UInt8(truncatingIfNeeded: $0 &* $0) }
        let header = Message.header(.three, .keys)
        let message = Message.encrypt(plaintext, keys: keys, header: header)
        #expect(Message.encrypt(plaintext, keys: keys, header: header, pieces: 40_000) == message)
        #expect(try Message.decrypt(message) { _ in keys } == plaintext)
        #expect(try Message.decrypt(message, pieces: 33_333) { _ in keys } == plaintext)
        try Message.verify(message) { _ in keys }
        // The code is that of another implementation of HMAC.
        #expect(Array(message.suffix(32)) == HMACSHA256.code(over: message.dropLast(32), key: keys.authentication))
    }

    @Test("have sizes that no other message has", arguments: CredentialKind.allCases)
    func sizes(_ kind: CredentialKind) {
        let header = Message.header(.three, kind)
        let possible = Set((0..<100).map { MessageSize.message(plaintextByteCount: $0, kind) })
        for count in 0...header.byteCount + 150 {
            let range = MessageSize.plaintext(messageByteCount: count, header)
            if let range {
                #expect(range.allSatisfy { MessageSize.message(plaintextByteCount: $0, kind) == count })
                #expect(range.count == 16)
            }
            if possible.contains(count) || count < header.byteCount + 48 {
                #expect((range != nil) == possible.contains(count))
            }
        }
        #expect(MessageSize.message(plaintextByteCount: 10 << 30, kind) == 10 << 30 | header.byteCount + 48)
    }

    @Test("begin with salts and vectors that are drawn anew")
    func fresh() throws {
        let headers = (0..<50).map { _ in MessageHeader(.password, entropy: SystemEntropy()) }
        #expect(Set(headers.map(\.initialisationVector)).count == 50)
        #expect(Set(headers.flatMap { [$0.salts?.encryption, $0.salts?.authentication] }).count == 100)
    }
}
