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
            steps.run(mode, context: 2)
            #expect(steps.kinds.filter { $0 == .repeatedIV }.count == 1, "\(mode)")
        }
        for mode in [CipherUse.Mode.ecb, .xts] {
            var steps = Steps()
            steps.run(mode)
            steps.run(mode)
            #expect(!steps.kinds.contains(.repeatedIV), "\(mode)")
        }
    }

    @Test("count the key of RC4 alone")
    func repeatedRC4() {
        var steps = Steps()
        steps.run(.rc4, .rc4, iv: nil)
        #expect(steps.kinds == [.deadCipher])
        steps.run(.rc4, .rc4, iv: .random16)
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
        steps.run(.ctr, iv: .drawn(16, seed: 100))
        #expect(steps.kinds == [])
        steps.run(.ctr, iv: .drawn(16, seed: 198))
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
