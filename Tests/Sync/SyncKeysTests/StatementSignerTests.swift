import LatchkeyCryptoSuite
import LatchkeyEncoding
import LatchkeySyncCore
import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncKeys

@Suite("Signatures of statements") struct StatementSignerTests {
    @Test("are verified with the keys that the statement's kind asks for") func kinds() throws {
        var circle = try SampleCircle()
        // The log key signed the epoch; with the statement key's signature it would have been refused.
        let joiner = SoftwareIdentity(testOnlySeed: 2)
        try circle.admit(joiner)
        #expect(circle.graph.state().members.count == 2)
        let place = try #require(circle.graph.nextPlace(for: joiner.party))
        let statement = try Statement(
            circle: place.circle, author: place.author, index: place.index, parents: place.parents, date: 0,
            body: .settings(CircleSettings(storedByteLimit: 1)))
        let message = try statement.content().signedBytes
        let withLogKey = try SignedStatement(statement, signature: joiner.logKey.sign(message))
        let keys = PartyKeys.device(joiner.publicKeys)
        #expect(throws: StatementFailure.badSignature) {
            try withLogKey.verified(with: keys, by: P256StatementVerifier())
        }
        let right = try StatementSigner(joiner).signed(statement)
        _ = try right.verified(with: keys, by: P256StatementVerifier())
        // Over another kind of object the same signature is worth nothing.
        let body = try statement.content().body
        let head = try ObjectContent(kind: .head, body: body)
        let signature = try joiner.statementKey.sign(message)
        let verifier = P256StatementVerifier()
        #expect(verifier.verifies(signature, over: message, publicKey: joiner.publicKeys.statement))
        #expect(!verifier.verifies(signature, over: head.signedBytes, publicKey: joiner.publicKeys.statement))
        let headSignature = try StatementSigner(joiner).signature(over: head)
        #expect(verifier.verifies(headSignature, over: head.signedBytes, publicKey: joiner.publicKeys.log))
    }

    @Test("are not made for another author, nor with other recovery keys") func refusals() throws {
        let circle = try SampleCircle()
        let other = SoftwareIdentity(testOnlySeed: 2)
        let place = try #require(circle.graph.nextPlace(for: circle.founder.party))
        let newKeys = RecoveryKeys(RecoveryCode(generating: SeededEntropy(seed: 9)))
        let statement = try Statement(
            circle: place.circle, author: place.author, index: place.index, parents: place.parents, date: 0,
            body: .recovery(RecoveryReplacement(keys: newKeys.publicKeys)))
        #expect(throws: SigningFailure.otherAuthor) {
            try StatementSigner(other).signed(statement, newRecovery: newKeys)
        }
        #expect(throws: SigningFailure.otherRecoveryKeys) { try StatementSigner(circle.founder).signed(statement) }
        #expect(throws: SigningFailure.otherRecoveryKeys) {
            try StatementSigner(circle.founder).signed(statement, newRecovery: circle.recovery)
        }
        _ = try StatementSigner(circle.founder).signed(statement, newRecovery: newKeys)
            .verified(with: .device(circle.founder.publicKeys), by: P256StatementVerifier())
        #expect(throws: SyncKeyFailure.gone) {
            try StatementSigner(circle.recovery).signature(over: statement.content())
        }
    }

    private struct File: Decodable {
        struct Group: Decodable {
            struct Key: Decodable { let uncompressed: Hex }
            let publicKey: Key
            let tests: [Case]
        }
        struct Case: Decodable {
            let tcId: Int
            let msg, sig: Hex
            let result: Vectors.Outcome
        }
        let testGroups: [Group]
    }

    @Test("agree with Wycheproof") func wycheproof() throws {
        let file: File = try Vectors.wycheproof("ecdsa_secp256r1_sha256_p1363")
        let verifier = P256StatementVerifier()
        var (valid, invalid) = (0, 0)
        for group in file.testGroups {
            let key = try #require(P256PublicKey(group.publicKey.uncompressed.bytes))
            for test in group.tests {
                // Of another length there is no signature at all.
                let isValid =
                    StatementSignature(test.sig.bytes).map {
                        verifier.verifies($0, over: test.msg.bytes, publicKey: key)
                    } ?? false
                #expect(isValid == (test.result == .valid), "case \(test.tcId)")
                if isValid { valid += 1 } else { invalid += 1 }
            }
        }
        #expect([valid, invalid] == [173, 89])
    }

    @Test("are refused for points off the curve") func offCurve() throws {
        let point = try #require(P256PublicKey([4] + [UInt8](repeating: 1, count: 64)))
        let signature = try SoftwareIdentity(testOnlySeed: 1).logKey.sign([1])
        #expect(!P256StatementVerifier().verifies(signature, over: [1], publicKey: point))
    }
}
