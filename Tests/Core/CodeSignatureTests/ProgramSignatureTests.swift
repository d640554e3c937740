import LatchkeyAsymmetricKeys
import LatchkeyCodeSignature
import LatchkeyCryptoSuite
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("A signature")
struct ProgramSignatureTests {
    private let signed = Signed()
    private static let algorithm = SignatureAlgorithm(.ecdsaX962, .sha256, takesMessage: true)

    @Test("comes back from its encoding and is right for its program")
    func roundTrip() throws {
        let signature = try signed.signature()
        let back = try ProgramSignature(decoding: signature.encoded())
        #expect(back == signature)
        #expect(back.key == signed.key.publicKey)
        try back.check(digest: Signed.digest)
    }

    @Test("is wrong for another program")
    func otherProgram() throws {
        let signature = try signed.signature()
        #expect(throws: SignatureFailure.wrongDigest) {
            try signature.check(digest: [UInt8](repeating: 0, count: 32))
        }
        #expect(throws: SignatureFailure.wrongDigest) { try signature.check(digest: []) }
    }

    @Test("is refused with any one byte changed")
    func damage() throws {
        let blob = try signed.signature().encoded()
        for index in blob.indices {
            for change: UInt8 in [1, 0x80, 0xFF] {
                var damaged = blob
                damaged[index] ^= change
                #expect(throws: SignatureFailure.self, "byte \(index) ^ \(change)") {
                    try ProgramSignature(decoding: damaged).check(digest: Signed.digest)
                }
            }
        }
    }

    @Test("is refused cut off anywhere, and with something behind it")
    func length() throws {
        let blob = try signed.signature().encoded()
        for count in 0..<blob.count {
            expectRule(.signatureMalformed) { _ = try ProgramSignature(decoding: Array(blob.prefix(count))) }
        }
        expectRule(.signatureMalformed) { _ = try ProgramSignature(decoding: blob + [0]) }
        expectRule(.signatureTooLarge) {
            _ = try ProgramSignature(decoding: [UInt8](repeating: 0, count: ProgramSignature.byteLimit + 1))
        }
    }

    @Test("by another key is refused: as its own team's, and under its own name for another's statement")
    func otherKey() throws {
        let statement = try signed.statement()
        let other = TeamKey.generate()
        #expect(
            throws: SignatureFailure.teamMismatch(expected: other.publicKey.identifier, found: signed.team.text)
        ) { _ = try other.sign(statement) }
        // The other key's owner makes the proof by hand.
        let key = try PrivateKey(generating: .ellipticCurve(.p256))
        let proof = try key.sign(Array("latchkey code signature\0".utf8) + statement.encoded(), Self.algorithm)
        #expect(throws: SignatureFailure.invalid) {
            try ProgramSignature(statement: statement, key: signed.key.publicKey, signature: proof)
                .check(digest: Signed.digest)
        }
        let point = try #require(TeamPublicKey(key.publicKey.externalRepresentation))
        expectRule(.signatureTeamMismatch) {
            try ProgramSignature(statement: statement, key: point, signature: proof).check(digest: Signed.digest)
        }
    }

    @Test("is over the statement in its context, not over the statement alone")
    func context() throws {
        let key = try PrivateKey(generating: .ellipticCurve(.p256))
        let publicKey = try #require(TeamPublicKey(key.publicKey.externalRepresentation))
        let statement = try SignatureStatement(
            application: publicKey.identifier.text + ".a", entitlements: try ProgramEntitlements([:]),
            digest: Signed.digest, date: 0, team: publicKey.identifier)
        let context = Array("latchkey code signature\0".utf8)
        let right = try key.sign(context + statement.encoded(), Self.algorithm)
        try ProgramSignature(statement: statement, key: publicKey, signature: right).check(digest: Signed.digest)
        let bare = try key.sign(statement.encoded(), Self.algorithm)
        #expect(throws: SignatureFailure.invalid) {
            try ProgramSignature(statement: statement, key: publicKey, signature: bare).check(digest: Signed.digest)
        }
    }

    @Test("with a key that is not a point of the curve is refused")
    func noPoint() throws {
        let key = try #require(TeamPublicKey([4] + [UInt8](repeating: 1, count: 64)))
        let statement = try SignatureStatement(
            application: key.identifier.text + ".a", entitlements: try ProgramEntitlements([:]), digest: Signed.digest,
            date: 0, team: key.identifier)
        let proof = try signed.signature().signature
        #expect(throws: SignatureFailure.invalid) {
            try ProgramSignature(statement: statement, key: key, signature: proof).check(digest: Signed.digest)
        }
    }

    @Test("with fields of another form is refused")
    func fields() throws {
        guard case .dictionary(let fields) = try DERReader.decode(try signed.signature().encoded()) else { return }
        #expect(fields.count == 3)
        let wrong: [[String: PropertyValue]] = [
            ["key": .data([4])], ["key": .string("k")], ["signature": .data([])],
            ["signature": .data([UInt8](repeating: 1, count: 73))], ["statement": .data([])], ["more": .null],
        ]
        for change in wrong {
            let bytes = DERWriter.encode(.dictionary(fields.merging(change) { $1 }))
            expectRule(.signatureMalformed) { _ = try ProgramSignature(decoding: bytes) }
        }
    }

    @Test("too large for its note is not made")
    func tooLarge() throws {
        let statement = try signed.statement(["padding": .data([UInt8](repeating: 0, count: 16_000))])
        expectRule(.signatureTooLarge) { _ = try signed.key.sign(statement) }
    }

    @Test("every failure has a name of its own, a reason and advice")
    func words() throws {
        let team = signed.team
        let alias = try #require(TeamAlias("A1B2C3D4E5"))
        let failures: [SignatureFailure] = [
            .malformed("x"), .wrongDigest, .invalid, .twoSignatures, .teamMismatch(expected: team, found: "x"),
            .tooNew(needs: 2), .malformedEntitlements("x"), .foreignApplication(entitlement: "x", application: "y"),
            .foreignGroup("x"), .interpreter(name: "x"), .script, .unreadable("x"), .malformedProgram("x"),
            .teamNotTrusted(team), .teamOtherKey(team), .teamRevoked(team), .teamExpired(team, date: 1),
            .aliasNotPinned(alias, of: team), .aliasTaken(alias, by: team),
            .levelTooLow(found: .b, needed: .a), .noPlace, .tooLarge(byteCount: 1), .unwritable("x"), .keyUnreadable,
            .keyNeedsPassphrase, .keyPassphraseRefused, .keyOfOtherKind,
        ]
        #expect(Set(failures.map(\.rule)).count == failures.count)
        for failure in failures { #expect(!failure.reason.isEmpty && failure.advice.hasSuffix(".")) }
    }
}

@Suite("A team key")
struct TeamKeyTests {
    @Test("comes back from its text, with and without a passphrase", arguments: [nil, "word"])
    func text(word: String?) throws {
        let passphrase = word.map { SecretBox(copying: Array($0.utf8)) }
        let signed = Signed()
        let back = try TeamKey(pem: signed.key.pem(passphrase: passphrase), passphrase: passphrase)
        #expect(back.publicKey == signed.key.publicKey)
        try back.sign(try signed.statement()).check(digest: Signed.digest)
    }

    @Test("that cannot be read says why")
    func unreadable() throws {
        let word = SecretBox(copying: Array("word".utf8))
        let sealed = TeamKey.generate().pem(passphrase: word)
        #expect(throws: SignatureFailure.keyNeedsPassphrase) { try TeamKey(pem: sealed, passphrase: nil) }
        #expect(throws: SignatureFailure.keyPassphraseRefused) {
            try TeamKey(pem: sealed, passphrase: SecretBox(copying: [1]))
        }
        #expect(throws: SignatureFailure.keyUnreadable) { try TeamKey(pem: word, passphrase: nil) }
    }
}

@Suite("Interpreters")
struct InterpretersTests {
    @Test(
        "are known by their names",
        arguments: [
            "/usr/bin/python\u{301}3", "/opt/\u{301}/python3",
            "python3", "python3.11", "/usr/bin/python3.11", "perl5.36.0", "ruby3.1", "bash", "/bin/sh", "dash", "zsh",
            "node", "nodejs", "deno", "bun", "java", "lua5.4", "luajit", "php8.2", "tclsh8.6", "guile-3.0", "Rscript",
            "ocaml", "pwsh", "qemu-aarch64-static", "ld-linux-x86-64.so.2", "ld.so", "env", "busybox",
            "/usr/bin/python3.11 (deleted)",
        ])
    func names(_ name: String) {
        #expect(Interpreters.contains(name: name))
    }

    @Test(
        "are not all programs", arguments: ["", "/", "mail", "shell", "bashful", "nodes", "environment", "javac", "ls"])
    func others(_ name: String) {
        #expect(!Interpreters.contains(name: name))
    }
}
