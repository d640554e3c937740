import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Bytes that are not a valid key, or not a supported one: refused at once, with the right reason.
@Suite struct BadKeyTests {
    enum Refusal: Sendable {
        case unreadable, unsupported

        init?(_ failure: KeyFailure?) {
            switch failure {
            case .unreadable: self = .unreadable
            case .unsupported: self = .unsupported
            case .passphraseNeeded, .wrongPassphrase, nil: return nil
            }
        }
    }

    private static func refusal(_ body: () throws -> Void) -> Refusal? {
        do {
            try body()
            return nil
        } catch {
            return Refusal(error as? KeyFailure)
        }
    }

    private static func refusal(ofPublic bytes: [UInt8], _ type: KeyType) -> Refusal? {
        refusal { _ = try PublicKey(externalRepresentation: bytes, type: type) }
    }

    private static func refusal(ofPrivate bytes: [UInt8], _ type: KeyType) -> Refusal? {
        refusal {
            _ = try PrivateKey(externalRepresentation: SecretBox(copying: bytes), type: type)
        }
    }

    private static func refusal(ofEncoded bytes: [UInt8], passphrase: String? = nil) -> Refusal? {
        refusal {
            _ = try PrivateKey(
                encoded: SecretBox(copying: bytes), passphrase: passphrase.map { SecretBox(text: $0) })
        }
    }

    private static func refusal(ofInfo bytes: [UInt8]) -> Refusal? {
        refusal { _ = try PublicKey(subjectPublicKeyInfo: bytes) }
    }

    static let modulus = [0xC5] + [UInt8](repeating: 0x5A, count: 126) + [0x5B]

    @Test(
        "RSA public keys",
        arguments: [
            ("a million bits", DER.number([UInt8](repeating: 0xFF, count: 125_000)), [1, 0, 1], Refusal.unsupported),
            ("a hundred thousand bits", DER.number([UInt8](repeating: 0xFF, count: 12_500)), [1, 0, 1], .unsupported),
            ("8193 bits", DER.number([1] + [UInt8](repeating: 0xFF, count: 1024)), [1, 0, 1], .unsupported),
            ("511 bits", DER.number([0x7F] + [UInt8](repeating: 0xFF, count: 63)), [1, 0, 1], .unsupported),
            ("zero", [2, 1, 0], [1, 0, 1], .unsupported), ("no modulus", [2, 0], [1, 0, 1], .unreadable),
            ("even modulus", DER.number(modulus.dropLast() + [0x5A]), [1, 0, 1], .unreadable),
            ("negative modulus", DER.value(2, modulus), [1, 0, 1], .unreadable),
            ("modulus with a needless zero", DER.value(2, [0, 0] + modulus), [1, 0, 1], .unreadable),
            ("exponent zero", DER.number(modulus), [0], .unreadable),
            ("exponent one", DER.number(modulus), [1], .unreadable),
            ("even exponent", DER.number(modulus), [1, 0, 0], .unreadable),
            ("exponent of 65 bits", DER.number(modulus), [1, 0, 0, 0, 0, 0, 0, 0, 1], .unsupported),
            ("exponent as long as the modulus", DER.number(modulus), modulus, .unsupported),
        ] as [(String, [UInt8], [UInt8], Refusal)])
    func rsaPublic(_ what: String, _ modulus: [UInt8], _ exponent: [UInt8], _ expected: Refusal) {
        let der = DER.sequence(modulus, DER.number(exponent))
        #expect(Self.refusal(ofPublic: der, .rsa) == expected)
        let info = DER.sequence(DER.sequence(DER.rsaEncryption, DER.null), DER.bits(der))
        #expect(Self.refusal(ofInfo: info) == expected)
    }

    @Test("RSA public keys in the wrong shape") func rsaShapes() {
        let n = DER.number(Self.modulus)
        let e = DER.number([3])
        #expect(Self.refusal(ofPublic: DER.sequence(n, e), .rsa) == nil)
        for wrong in [
            [], [0x30], [0x30, 0x80], n, DER.sequence(n), DER.sequence(n, e, e), DER.sequence(n, e) + [0],
            DER.sequence(DER.sequence(n, e)), DER.value(0x31, n + e), DER.sequence(n, DER.octets([3])),
            // Lengths: indefinite, longer than needed, beyond the end.
            [0x30, 0x80] + n + e + [0, 0], [0x30, 0x83, 0, 0, UInt8(n.count + e.count)] + n + e,
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] + n + e, [UInt8](repeating: 0x30, count: 9000),
            Samples.rsa1024.publicKey.subjectPublicKeyInfo, Samples.rsa1024.externalRepresentation.contents,
            Samples.key(.p256).publicKey.externalRepresentation,
        ] {
            #expect(Self.refusal(ofPublic: wrong, .rsa) == .unreadable)
        }
    }

    /// The nine numbers of a private key, in the order of PKCS#1.
    private static func numbers(of key: PrivateKey) throws -> [[UInt8]] {
        var rest = key.externalRepresentation.contents[...]
        func length() -> Int {
            let first = rest.removeFirst()
            guard first >= 0x80 else { return Int(first) }
            let bytes = rest.prefix(Int(first & 0x7F))
            rest = rest.dropFirst(bytes.count)
            return bytes.reduce(0) { $0 << 8 | Int($1) }
        }
        rest.removeFirst()
        _ = length()
        var numbers: [[UInt8]] = []
        while !rest.isEmpty {
            rest.removeFirst()
            let count = length()
            numbers.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        try #require(numbers.count == 9)
        return numbers
    }

    private static func joined(_ numbers: [[UInt8]]) -> [UInt8] {
        DER.value(0x30, numbers.flatMap { DER.value(2, $0) })
    }

    @Test("RSA private keys whose numbers do not belong together") func rsaPrivate() throws {
        let numbers = try Self.numbers(of: Samples.rsa1024)
        #expect(Self.joined(numbers) == Samples.rsa1024.externalRepresentation.contents)
        for index in 1..<9 {
            // Two more or less: what has to be odd stays odd.
            var altered = numbers
            altered[index][altered[index].count - 1] ^= 2
            #expect(Self.refusal(ofPrivate: Self.joined(altered), .rsa) == .unreadable, "number \(index)")
            var zero = numbers
            zero[index] = [0]
            #expect(Self.refusal(ofPrivate: Self.joined(zero), .rsa) != nil, "number \(index)")
            // The public exponents are the same.
            guard index != 2 else { continue }
            var other = numbers
            other[index] = try Self.numbers(of: Samples.rsa2048)[index]
            #expect(Self.refusal(ofPrivate: Self.joined(other), .rsa) == .unreadable, "number \(index)")
        }
        var swapped = numbers
        swapped.swapAt(4, 5)
        #expect(Self.refusal(ofPrivate: Self.joined(swapped), .rsa) == .unreadable)
        // One and the modulus make the modulus as well.
        var trivial = numbers
        (trivial[4], trivial[5]) = ([1], numbers[1])
        #expect(Self.refusal(ofPrivate: Self.joined(trivial), .rsa) == .unreadable)
        var threePrimes = numbers
        threePrimes[0] = [1]
        #expect(Self.refusal(ofPrivate: Self.joined(threePrimes), .rsa) == .unsupported)
        for version: [UInt8] in [[2], [0x7F], [0xFF], [1, 0]] {
            #expect(Self.refusal(ofPrivate: Self.joined([version] + numbers.dropFirst()), .rsa) == .unreadable)
        }
        let million = [[0], [0] + [UInt8](repeating: 0xFF, count: 125_000)] + numbers.dropFirst(2)
        #expect(Self.refusal(ofPrivate: Self.joined(million), .rsa) == .unsupported)
        #expect(Self.refusal(ofEncoded: Self.joined(million)) == .unsupported)
    }

    @Test("points that are not on the curve", arguments: Curve.allCases) func points(_ curve: Curve) {
        let key = Samples.key(curve)
        let point = key.publicKey.externalRepresentation
        let n = curve.coordinateByteCount
        var altered = point
        altered[point.count - 1] ^= 1
        let sign = 2 + point[point.count - 1] % 2
        let wrong: [[UInt8]] = [
            [], [0], [4], altered, point + [0], Array(point.dropLast()), [sign] + point[1...n],
            [6 + point[point.count - 1] % 2] + point.dropFirst(), [5] + point.dropFirst(),
            [4] + [UInt8](repeating: 0, count: 2 * n), [4] + [UInt8](repeating: 0xFF, count: 2 * n),
            key.externalRepresentation.contents,
        ]
        for bytes in wrong { #expect(Self.refusal(ofPublic: bytes, .ellipticCurve) == .unreadable) }
        #expect(Self.refusal(ofPrivate: point, .ellipticCurve) == .unreadable)
        // In a SubjectPublicKeyInfo a compressed point is taken.
        for (bytes, expected) in [([sign] + point[1...n], nil), (altered, .unreadable), ([0], .unreadable)]
            as [([UInt8], Refusal?)]
        {
            #expect(Self.refusal(ofInfo: DER.sequence(Self.algorithm(curve), DER.bits(bytes))) == expected)
        }
    }

    private static func algorithm(_ curve: Curve) -> [UInt8] {
        let info = Samples.key(curve).publicKey.subjectPublicKeyInfo
        // The outer header has two bytes, or three beyond 127.
        let start = info[1] >= 0x80 ? 3 : 2
        return Array(info[start..<start + 2 + Int(info[start + 1])])
    }

    @Test("private numbers that do not fit", arguments: Curve.allCases) func numbers(_ curve: Curve) {
        let n = curve.coordinateByteCount
        let point = Samples.key(curve).publicKey.externalRepresentation
        let orders: [Curve: String] = [
            .p192: "FFFFFFFFFFFFFFFFFFFFFFFF99DEF836146BC9B1B4D22831",
            .p224: "FFFFFFFFFFFFFFFFFFFFFFFFFFFF16A2E0B8F03E13DD29455C5C2A3D",
            .p256: "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551",
            .p384: "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFC7634D81F4372DDF581A0DB248B0A77AECEC196ACCC52973",
            .p521:
                "01FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFA51868783BF2F966B7FCC0148F709A5D03BB5C9B8899C47AEBB6FB71E91386409",
        ]
        let digits = Array(orders[curve] ?? "")
        let order = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
        let other = Array(Samples.make(.ellipticCurve(curve)).externalRepresentation.contents.suffix(n))
        for number in [[UInt8](repeating: 0, count: n), order, [UInt8](repeating: 0xFF, count: n), other] {
            #expect(number.count == n)
            #expect(Self.refusal(ofPrivate: point + number, .ellipticCurve) == .unreadable)
            // Alone as well, where no public half contradicts.
            let sec1 = DER.sequence(
                DER.number([1]), DER.octets(number), DER.value(0xA0, Array(Self.algorithm(curve).dropFirst(2 + 9))))
            #expect((Self.refusal(ofEncoded: sec1) == nil) == (number == other))
        }
        // The largest number is taken.
        let largest = order.dropLast() + [order[n - 1] - 1]
        let sec1 = DER.sequence(
            DER.number([1]), DER.octets(Array(largest)), DER.value(0xA0, Array(Self.algorithm(curve).dropFirst(2 + 9))))
        #expect(Self.refusal(ofEncoded: sec1) == nil)
    }

    @Test("keys of other kinds", arguments: ["ED25519", "X25519", "RSA-PSS", "secp256k1", "explicit"])
    func otherKinds(kind: String) throws {
        let arguments =
            switch kind {
            case "secp256k1": ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"]
            case "explicit":
                [
                    "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-pkeyopt",
                    "ec_param_enc:explicit",
                ]
            default: ["genpkey", "-algorithm", kind]
            }
        let text = try OpenSSL.run(arguments)
        #expect(Self.refusal(ofEncoded: text) == .unsupported)
        let half = try OpenSSL.run(["pkey", "-pubout"], input: text)
        #expect(Self.refusal { _ = try PublicKey(pem: half) } == .unsupported)
    }

    @Test("forms that end early or go on", arguments: [Samples.key(.p256), Samples.rsa512])
    func cut(_ key: PrivateKey) throws {
        let type = key.publicKey.kind.type
        for (form, read) in [
            (key.publicKey.externalRepresentation, { Self.refusal(ofPublic: $0, type) }),
            (key.publicKey.subjectPublicKeyInfo, { Self.refusal(ofInfo: $0) }),
            (key.externalRepresentation.contents, { Self.refusal(ofPrivate: $0, type) }),
            (key.pkcs8(passphrase: nil).contents, { Self.refusal(ofEncoded: $0) }),
        ] as [([UInt8], ([UInt8]) -> Refusal?)] {
            #expect(read(form) == nil)
            for count in form.indices { #expect(read(Array(form.prefix(count))) == .unreadable) }
            #expect(read(form + [0]) == .unreadable)
        }
    }

    @Test("a text with the public key of another private key") func mismatch() {
        for curve in Curve.allCases {
            let form = Samples.key(curve).pkcs8(passphrase: nil).contents
            let other = Samples.make(.ellipticCurve(curve)).publicKey.externalRepresentation
            #expect(Self.refusal(ofEncoded: form.dropLast(other.count) + other) == .unreadable)
        }
    }

    /// An encrypted key whose derivation is described like this.
    private static func sealed(_ derivation: [UInt8], cipher: [UInt8] = DER.aes256CBC) -> [UInt8] {
        let algorithm = DER.sequence(
            DER.pbes2, DER.sequence(derivation, DER.sequence(cipher, DER.octets([UInt8](repeating: 0, count: 16)))))
        return DER.sequence(algorithm, DER.octets([UInt8](repeating: 7, count: 64)))
    }

    private static func pbkdf2(_ rounds: [UInt8]) -> [UInt8] {
        DER.sequence(DER.pbkdf2, DER.sequence(DER.octets([1, 2, 3, 4, 5, 6, 7, 8]), DER.number(rounds)))
    }

    private static func scrypt(_ cost: [UInt8], _ blockSize: [UInt8], _ lanes: [UInt8]) -> [UInt8] {
        DER.sequence(
            DER.scrypt,
            DER.sequence(DER.octets([1]), DER.number(cost), DER.number(blockSize), DER.number(lanes)))
    }

    @Test("encryption that would take for ever, or is unknown") func work() {
        let million: [UInt8] = [0x0F, 0x42, 0x40]
        let old = DER.sequence(DER.octets([1, 2, 3, 4, 5, 6, 7, 8]), DER.number([0x7F, 0xFF, 0xFF, 0xFF]))
        let content = DER.octets([UInt8](repeating: 7, count: 64))
        let few = DER.sequence(DER.octets([1, 2, 3, 4, 5, 6, 7, 8]), DER.number([1]))
        for form in [
            Self.sealed(Self.pbkdf2([0x98, 0x96, 0x81])), Self.sealed(Self.pbkdf2([0])),
            Self.sealed(Self.pbkdf2([0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])),
            Self.sealed(Self.scrypt([0x40, 0, 0, 0], [8], [1])), Self.sealed(Self.scrypt([0x40, 0], [8], million)),
            Self.sealed(Self.scrypt([0x7F, 0, 0, 0, 0, 0, 0, 0], [0x7F, 0, 0, 0, 0, 0, 0, 0], [8])),
            Self.sealed(Self.scrypt([0], [8], [1])), Self.sealed(Self.pbkdf2([1]), cipher: DER.aes256GCM),
            Self.sealed(DER.sequence(DER.rsaEncryption, DER.sequence())),
            DER.sequence(DER.sequence(DER.pbeSHA1TripleDES, old), content),
            DER.sequence(DER.sequence(DER.pbeMD5DES, few), content),
        ] {
            #expect(Self.refusal(ofEncoded: form, passphrase: "word") == .unsupported)
        }
        for form in [
            Self.sealed(Self.pbkdf2([1, 0, 0, 0, 0, 0, 0, 0, 0])), Self.sealed(DER.sequence(DER.pbkdf2)),
            Self.sealed(Self.pbkdf2([1])) + [0], DER.sequence(DER.sequence(DER.pbes2, DER.null), content),
            DER.sequence(DER.sequence(), content),
        ] {
            #expect(Self.refusal(ofEncoded: form, passphrase: "word") == .unreadable)
        }
        // The parameters are judged before the passphrase.
        #expect(Self.refusal(ofEncoded: Self.sealed(Self.pbkdf2(million + [0]))) == .unsupported)
        for form in [Self.sealed(Self.pbkdf2([1])), Self.sealed(Self.scrypt([2], [1], [1]))] {
            #expect(throws: KeyFailure.wrongPassphrase) {
                try PrivateKey(encoded: SecretBox(copying: form), passphrase: SecretBox(text: "word"))
            }
        }
    }

    @Test("texts that are not keys") func texts() {
        let text = Samples.key(.p256).pem(passphrase: nil).contents
        let half = Array(Samples.key(.p256).publicKey.pem.utf8)
        let nested = [UInt8](repeating: 0x30, count: 6000)
        for wrong in [
            [], Array("no key".utf8), Array(text.prefix(100)), half, [0x30], nested, [0x30, 0x82, 0x40] + nested,
        ] {
            #expect(Self.refusal(ofEncoded: wrong) == .unreadable)
        }
        for wrong in [[], Array("no key".utf8), Array(half.prefix(100)), text] {
            #expect(Self.refusal { _ = try PublicKey(pem: wrong) } == .unreadable)
        }
        let long = [UInt8](repeating: 0x41, count: 64 * 1024 + 1)
        #expect(Self.refusal(ofEncoded: long) == .unsupported)
        #expect(Self.refusal(ofEncoded: DER.sequence(long)) == .unsupported)
        #expect(Self.refusal { _ = try PublicKey(pem: long) } == .unsupported)
        #expect(Self.refusal(ofInfo: DER.sequence(long)) == .unsupported)
        // Something before the key is passed over, as openssl does.
        #expect(Self.refusal(ofEncoded: Array("some words\n\n".utf8) + half + text) == nil)
    }

    @Test("sizes for which no key is made", arguments: [0, 1, 511, 8193, 1_000_000, Int.max, -1])
    func generation(bits: Int) {
        let refusal = Self.refusal { _ = try PrivateKey(generating: .rsa(bits: bits)) }
        #expect(refusal == .unsupported)
    }
}
