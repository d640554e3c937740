import LatchkeyCryptoMisuse
import Testing

@Suite("Rules about ciphers, keys and first blocks")
struct CipherRuleTests {
    typealias Kind = CryptoFlaw.Kind

    @Test(
        "name dead ciphers and ECB, in both directions",
        arguments: [
            (CipherUse.Cipher.aes, CipherUse.Mode.ctr, 32, [] as [Kind]), (.aes, .ecb, 16, [.ecb]),
            (.aes, .gcm, 16, []),
            (.des, .ctr, 8, [.deadCipher]), (.des, .ecb, 8, [.ecb, .deadCipher]), (.tripleDES, .ctr, 24, []),
            (.rc4, .rc4, 16, [.deadCipher]), (.rc2, .cfb, 16, [.deadCipher]), (.cast, .cfb8, 16, []),
            (.blowfish, .ofb, 16, []), (.aes, .xts, 32, []),
        ])
    func ciphers(_ cipher: CipherUse.Cipher, _ mode: CipherUse.Mode, _ count: Int, _ kinds: [Kind]) {
        for isEncrypting in [true, false] {
            var steps = Steps()
            steps.run(mode, cipher, isEncrypting: isEncrypting, key: .drawn(count, seed: 5))
            #expect(steps.kinds == kinds)
        }
    }

    @Test("take 3DES for DES where two neighbouring thirds of the key undo each other, whatever the parity")
    func singleDES() {
        let (a, b) = ([UInt8].drawn(8, seed: 1), [UInt8].drawn(8, seed: 2))
        let table: [([UInt8], [Kind])] = [
            (a + a + b, [.deadCipher]), (a + b + b, [.deadCipher]), (a + a.map { $0 ^ 1 } + b, [.deadCipher]),
            (a + b + a, []), (a + b + [UInt8].drawn(8, seed: 3), []),
        ]
        for (key, kinds) in table {
            var steps = Steps()
            steps.run(.ctr, .tripleDES, key: key)
            #expect(steps.kinds == kinds)
        }
    }

    @Test("tell text and padding from keys that were drawn")
    func keys() {
        let drawn = [UInt8].drawn(32, seed: 7)
        let table: [(String, CipherUse.Cipher, [UInt8], [Kind])] = [
            ("drawn", .aes, drawn, []),
            ("text", .aes, Array("correct horse battery staple 123".utf8), [.textKey]),
            ("hexadecimal digits", .aes, Array("00112233445566778899aabbccddeeff".utf8), [.textKey]),
            ("umlauts", .aes, Array("schön grün über".utf8.prefix(16)), [.textKey]),
            ("an umlaut cut in two", .aes, Array("fifteen letters".utf8) + [0xC3], []),
            (
                "a password with padding", .aes, Array("hunter2".utf8) + Array(repeating: 0, count: 9),
                [.textKey, .shortKey]
            ),
            ("bytes with padding", .aes, Array(drawn.prefix(28)) + [0, 0, 0, 0], [.shortKey]),
            ("three zeros at the end come by chance", .aes, Array(drawn.prefix(29)) + [0, 0, 0], []),
            ("a number", .aes, [0, 0, 0, 0] + Array(drawn.prefix(12)), [.shortKey]),
            ("zeros", .aes, Array(repeating: 0, count: 32), [.shortKey]),
            ("short", .aes, Array(drawn.prefix(15)), [.shortKey]),
            ("nothing", .aes, [], [.shortKey]),
            ("40 bits", .rc4, Array(drawn.prefix(5)), [.deadCipher, .shortKey]),
            ("64 bits", .blowfish, Array(drawn.prefix(8)), [.shortKey]),
            ("half a key", .tripleDES, Array(drawn.prefix(16)), [.shortKey]),
        ]
        for (name, cipher, key, kinds) in table {
            var steps = Steps()
            steps.run(cipher == .rc4 ? .rc4 : .ctr, cipher, key: key)
            #expect(steps.kinds == kinds, "\(name)")
        }
    }

    @Test("say nothing of how long the text in a padded key is")
    func noLengths() {
        let texts = (5...9).map { count in
            var review = MisuseReview<Int>(seed: 1)
            let key = Array("password!".utf8.prefix(count)) + Array(repeating: 0, count: 16 - count)
            return key.withUnsafeBytes { key in
                let use = CipherUse(cipher: .aes, mode: .ctr, isEncrypting: true, key: key, iv: nil)
                let context = ObservedUse.Context(UnsafeRawPointer(bitPattern: 1)!)
                return review.observe(.cipherStarts(use, context)) { 0 }.map { $0.flaw.reason + $0.flaw.advice }
            }
        }
        #expect(texts.allSatisfy { $0.count == 2 } && Set(texts).count == 1)
    }

    @Test("want an IV for CBC, once bytes go through it")
    func missingIV() {
        for iv in [nil, Array(repeating: 0, count: 16)] as [[UInt8]?] {
            for isEncrypting in [true, false] {
                var steps = Steps()
                steps.start(.cbc, isEncrypting: isEncrypting, iv: iv)
                #expect(steps.kinds == [])
                steps.take(.text)
                steps.take(.text)
                #expect(steps.kinds == [.missingIV])
                #expect(steps.found.map(\.step) == [1], "the place is that of the start")
            }
        }
        var steps = Steps()
        steps.start(.cbc, iv: nil)
        steps.start(.cbc, iv: .random16)
        steps.take(.text)
        #expect(steps.kinds == [], "a cipher that was reset before it was used")
        steps.run(.ctr, iv: Array(repeating: 0, count: 16), context: 2)
        steps.run(.gcm, iv: Array(repeating: 0, count: 12), context: 3)
        #expect(steps.kinds == [], "a counter may begin at zero")
    }

    @Test("remember key and IV of what was encrypted")
    func repeatedIV() {
        let modes: [CipherUse.Mode] = [.cbc, .ctr, .ofb, .cfb, .cfb8, .gcm]
        for mode in modes {
            var steps = Steps()
            steps.run(mode)
            steps.run(mode, isEncrypting: false, .random32, to: .text)
            steps.run(mode, iv: .drawn(16, seed: 9))
            steps.run(mode, key: .drawn(32, seed: 9))
            #expect(!steps.kinds.contains(.repeatedIV), "\(mode)")
            steps.run(mode, .aes, .otherText, to: .code, context: 2)
            #expect(steps.kinds.filter { $0 == .repeatedIV }.count == 1, "\(mode)")
        }
        for mode in [CipherUse.Mode.ecb, .xts] {
            var steps = Steps()
            steps.run(mode)
            steps.run(mode, .aes, .otherText)
            #expect(!steps.kinds.contains(.repeatedIV), "\(mode)")
        }
    }

    @Test("take the same message once more for what it is, and one that begins alike for another")
    func sameMessage() {
        for mode in [CipherUse.Mode.cbc, .ctr, .ofb, .cfb, .gcm] {
            var steps = Steps()
            let piece = Array([UInt8].text.prefix(5))
            for _ in 0..<3 { steps.run(mode) }
            steps.start(mode)
            steps.take(piece)
            steps.take(Array([UInt8].text.dropFirst(5)))
            steps.give(.random32)
            steps.end()
            #expect(!steps.kinds.contains(.repeatedIV), "\(mode)")
            steps.run(mode, .aes, .text + [1])
            #expect(steps.kinds.filter { $0 == .repeatedIV }.count == 1, "\(mode)")
        }
    }

    @Test("take the tag of GCM for a part of the message: other associated data are another message")
    func gcmTags() {
        var steps = Steps()
        for (tag, kinds) in [(UInt64(1), []), (1, []), (2, [Kind.repeatedIV])] {
            steps.start(.gcm)
            steps.take(.text)
            steps.give(.random32)
            steps.code(.drawn(16, seed: tag), context: 1)
            steps.end()
            #expect(steps.kinds == kinds)
        }
    }

    @Test("count no call that gave nothing")
    func failedCalls() {
        for mode in [CipherUse.Mode.cbc, .ctr, .gcm] {
            var steps = Steps()
            steps.start(mode)
            steps.take(.text)
            steps.end()
            steps.run(mode, .aes, .otherText)
            steps.start(mode)
            steps.take(.text)
            steps.end()
            #expect(!steps.kinds.contains(.repeatedIV), "\(mode)")
        }
    }

    /// An IV whose last bytes are a number.
    private static func iv(_ counter: UInt64, _ prefix: UInt8 = 0x80) -> [UInt8] {
        let bytes = withUnsafeBytes(of: counter.bigEndian) { Array($0) }
        return [UInt8](repeating: prefix, count: 8) + bytes
    }

    @Test("see where the counters of two messages meet", arguments: [false, true])
    func overlappingCounters(isSwapped: Bool) {
        let (long, short) = ([UInt8].drawn(50, seed: 20), [UInt8].drawn(5, seed: 21))
        let table: [(UInt64, [UInt8], UInt64, [UInt8], Bool)] = [
            (0, long, 4, long, false), (0, long, 3, long, true), (0, long, 1, short, true), (7, short, 8, short, false),
            (0, short, 1, long, false), (.max, long, 1, short, true), (.max, short, 0, long, false),
            (.max - 3, long, 0, long, false),
        ]
        for (first, text, second, other, isFound) in table {
            var steps = Steps()
            let messages = [(first, text, UInt64(22)), (second, other, 23)]
            for (counter, text, seed) in isSwapped ? messages.reversed() : messages {
                steps.run(.ctr, iv: Self.iv(counter), text, to: .drawn(text.count, seed: seed))
            }
            #expect(steps.kinds == (isFound ? [.overlappingCounters] : []), "\(first) \(second)")
        }
    }

    @Test("see no overlap under other keys, under other first halves, in a decryption and where the text is the same")
    func separateCounters() {
        let (text, secret) = ([UInt8].drawn(64, seed: 20), [UInt8].drawn(64, seed: 22))
        var steps = Steps()
        steps.run(.ctr, iv: Self.iv(0), text, to: secret)
        steps.run(.ctr, key: .drawn(32, seed: 9), iv: Self.iv(1), text, to: secret)
        steps.run(.ctr, iv: Self.iv(1, 0x81), text, to: secret)
        steps.run(.ctr, isEncrypting: false, iv: Self.iv(1), secret, to: text)
        // A part of the ciphertext, decrypted by encrypting it, and a part of the text once more.
        steps.run(.ctr, iv: Self.iv(1), Array(secret[16...]), to: Array(text[16...]))
        steps.run(.ctr, iv: Self.iv(2), Array(text[32...]), to: Array(secret[32...]))
        #expect(steps.kinds == [])
        steps.run(.ctr, iv: Self.iv(2), Array(text[33...]), to: Array(secret[32...]))
        #expect(steps.kinds == [.repeatedIV, .overlappingCounters])
    }

    @Test("count blocks of eight bytes where the cipher has them")
    func shortBlocks() {
        var steps = Steps()
        let start = [UInt8](repeating: 0, count: 7)
        steps.run(
            .ctr, .tripleDES, key: .drawn(24, seed: 3), iv: start + [1], .drawn(17, seed: 4), to: .drawn(17, seed: 5))
        steps.run(
            .ctr, .tripleDES, key: .drawn(24, seed: 3), iv: start + [4], .drawn(17, seed: 6), to: .drawn(17, seed: 7))
        #expect(steps.kinds == [])
        steps.run(
            .ctr, .tripleDES, key: .drawn(24, seed: 3), iv: start + [5], .drawn(17, seed: 8), to: .drawn(17, seed: 9))
        #expect(steps.kinds == [.overlappingCounters])
    }

    @Test("name XTS with equal keys, and with keys that no standard has")
    func unitKeys() {
        let table: [(Int, Bool, [Kind])] = [
            (16, false, []), (32, false, []), (16, true, [.unitKeys]), (24, false, [.unitKeys]),
            (24, true, [.unitKeys]),
        ]
        for (count, areEqual, kinds) in table {
            var steps = Steps()
            steps.start(.xts, key: .drawn(count, seed: 5), iv: nil, hasEqualKeys: areEqual)
            #expect(steps.kinds == kinds, "\(count) \(areEqual)")
        }
    }

    @Test("count the key of RC4 alone")
    func repeatedRC4() {
        var steps = Steps()
        steps.run(.rc4, .rc4, iv: nil)
        #expect(steps.kinds == [.deadCipher])
        steps.run(.rc4, .rc4, iv: .random16, .otherText)
        #expect(steps.kinds == [.deadCipher, .deadCipher, .repeatedIV])
    }

    @Test("take a stream that goes over its own ciphertext for decryption, in pieces of any size")
    func streamsDecrypt() {
        for first in [1, 3, 16, 32] {
            var steps = Steps()
            steps.run(.ctr, .aes, .text, to: .random32)
            steps.start(.ctr)
            steps.take(Array([UInt8].random32.prefix(first)))
            steps.give(Array([UInt8].text.prefix(first)))
            steps.end()
            #expect(steps.kinds == [])
            steps.run(.ctr, .aes, .code, to: .text)
            #expect(steps.kinds == [.repeatedIV])
        }
    }

    @Test("forget what is long ago, and keep what came since")
    func bounds() {
        var steps = Steps(remembering: 8)
        for number in 0..<100 { steps.run(.ctr, iv: .drawn(16, seed: UInt64(number) + 100)) }
        steps.run(.ctr, iv: .drawn(16, seed: 100), .otherText)
        #expect(steps.kinds == [])
        steps.run(.ctr, iv: .drawn(16, seed: 198), .otherText)
        #expect(steps.kinds == [.repeatedIV])
    }

    @Test("leave ciphers alone that started before anybody listened")
    func unknown() {
        var steps = Steps()
        steps.take(.text)
        steps.give(.random32)
        steps.end()
        steps.end()
        steps.code()
        #expect(steps.kinds == [] && steps.unsettledSteps == [])
    }
}
