import LatchkeyRNCryptorFormat
import LatchkeySecretMemory
import Testing

@Suite("Damaged RNCryptor messages")
struct DamageTests {
    /// Every version and kind of header, with plaintexts around the sizes of blocks. Keys are made once: the header's
    /// salts are part of what is authenticated, the keys are given.
    private static let corpus: [(MessageHeader, [UInt8])] = MessageHeader.Version.allCases.flatMap { version in
        CredentialKind.allCases.flatMap { kind in
            [0, 1, 15, 16, 17, 47].map { count in
                (Message.header(version, kind), Array(repeating: UInt8(count), count: count))
            }
        }
    }

    @Test("cut anywhere are refused")
    func truncations() throws {
        let keys = try #require(Message.keys)
        for (header, plaintext) in Self.corpus {
            let message = Message.encrypt(plaintext, keys: keys, header: header)
            #expect(Message.failure(message, keys: keys) == nil)
            for count in 0..<message.count {
                let isShort = count < header.byteCount + MessageSize.shortestBody
                #expect(
                    Message.failure(Array(message[..<count]), keys: keys) == (isShort ? .tooShort : .notAuthentic),
                    "\(header.version) \(header.kind) \(message.count) to \(count)")
            }
        }
    }

    @Test("with any bit altered are refused, but for the header that version 1 does not authenticate")
    func bitFlips() throws {
        let keys = try #require(Message.keys)
        for (header, plaintext) in Self.corpus {
            let message = Message.encrypt(plaintext, keys: keys, header: header)
            for bit in 0..<message.count * 8 {
                var altered = message
                altered[bit / 8] ^= 1 << (bit % 8)
                let failure = Message.failure(altered, keys: keys)
                let place = "\(header.version) \(header.kind) \(message.count), bit \(bit)"
                switch bit / 8 {
                case 0:
                    // An unknown version, or another one, whose code is over other bytes.
                    let known = MessageHeader.Version(rawValue: altered[0]) != nil
                    #expect(failure == (known ? .notAuthentic : .unknownHeader), "\(place)")
                case 1 where altered[1] > 1:
                    #expect(failure == .unknownOptions(found: altered[1]), "\(place)")
                case 1:
                    // The header then has another length: what is left may be too short.
                    #expect(failure == .notAuthentic || failure == .tooShort, "\(place)")
                case 2..<header.byteCount where header.version == .one:
                    // The known weakness of version 1: salts are not the code's matter, an altered vector alters the
                    // first block, and with it the padding if there is no other.
                    let isVector = bit / 8 >= header.byteCount - 16
                    #expect(failure == nil || (isVector && failure == .badPadding), "\(place)")
                default:
                    #expect(failure == .notAuthentic, "\(place)")
                }
            }
        }
    }

    @Test("with an altered vector show in version 1 as that bit of the first block")
    func versionOne() throws {
        let keys = try #require(Message.keys)
        let header = Message.header(.one, .password)
        var message = Message.encrypt(Array(0..<40), keys: keys, header: header)
        message[header.byteCount - 16] ^= 0x80
        #expect(try Message.decrypt(message) { _ in keys } == [0x80] + Array(1..<40))
    }

    @Test("of a password, altered in a salt, have other keys and are refused")
    func salts() throws {
        let credentials = Credentials.password(SecretBox(copying: Array("word".utf8)))
        let header = Message.header(.three, .password)
        let message = Message.encrypt([1, 2, 3], keys: try credentials.keys(for: header), header: header)
        for index in [2, 9, 10, 17] {
            var altered = message
            altered[index] ^= 1
            #expect(throws: MessageFailure.notAuthentic) {
                try Message.decrypt(altered) { header throws(MessageFailure) in try credentials.keys(for: header) }
            }
        }
    }

    @Test("behind which bytes follow are refused")
    func appended() throws {
        let keys = try #require(Message.keys)
        for (header, plaintext) in Self.corpus {
            let message = Message.encrypt(plaintext, keys: keys, header: header)
            for count in [1, 16, 32, 48] {
                #expect(Message.failure(message + Array(repeating: 0, count: count), keys: keys) == .notAuthentic)
            }
        }
    }

    @Test("of version 3 passed off as ciphertext of version 1 are authentic there, and refused for their length")
    func downgrade() throws {
        let keys = try #require(Message.keys)
        for kind in CredentialKind.allCases {
            let message = Message.encrypt([1, 2, 3], keys: keys, header: Message.header(.three, kind))
            for outer in CredentialKind.allCases {
                let forged = Message.header(.one, outer).bytes + message
                #expect(Message.failure(forged, keys: keys) == .badPadding)
            }
        }
    }

    @Test(
        "of versions that are not read, or of unknown kinds, are told from the first bytes",
        arguments: [
            ([], .tooShort), ([3], .tooShort), ([0], .unknownHeader), ([0, 1], .unknownHeader),
            ([4, 1], .unknownHeader),
            (Array("RNC\u{4}".utf8), .unknownHeader), ([3, 2], .unknownOptions(found: 2)),
            ([2, 255], .unknownOptions(found: 255)), ([3, 1], .tooShort),
        ] as [([UInt8], MessageFailure)])
    func headers(_ bytes: [UInt8], _ failure: MessageFailure) {
        #expect(throws: failure) { try Message.header(of: bytes) }
    }

    @Test("and wrong credentials are told apart")
    func credentials() throws {
        let keys = try #require(Message.keys)
        let word = SecretBox(copying: Array("word".utf8))
        #expect(throws: MessageFailure.otherCredentials) {
            try Credentials.keys(keys).keys(for: Message.header(.three, .password))
        }
        #expect(throws: MessageFailure.otherCredentials) {
            try Credentials.password(word).keys(for: Message.header(.three, .keys))
        }
        #expect(throws: MessageFailure.emptyPassword) {
            try Credentials.password(SecretBox(copying: [])).keys(for: Message.header(.three, .password))
        }
        #expect(throws: MessageFailure.emptyPassword) { _ = try MessageEncryptor(.password(SecretBox(copying: []))) }
        #expect(throws: MessageFailure.badKeyLength(found: 31)) {
            try MessageKeys(encryption: keys.encryption.prefix(31), authentication: keys.authentication)
        }
    }
}
