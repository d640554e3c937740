import Foundation
import LatchkeyAccessControl
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyEnclaveContract

@Suite struct EnclaveMessageCodecTests {
    private static let questions = MailboxSamples.questions
    private static let answers = MailboxSamples.answers
    private static let secret = MailboxSamples.secret
    private static let key = MailboxSamples.key
    private static let context = MailboxSamples.context
    private static let file = MailboxSamples.file
    private static let control = MailboxSamples.control
    /// The access control as a field: its length, and its bytes.
    private static let controlField = [0, UInt8(control.serialised.count)] + control.serialised

    @Test("the status of an enclave that runs since before an update has no strength and no time until locking")
    func shortStatus() throws {
        let body = EnclaveMessageCodec.encode(MailboxSamples.status).body
        let short = [body[0], 2] + body.dropFirst(2).dropLast(3)
        let status = try EnclaveMessageCodec.decode(EnclaveStatus.self, body: short, secrets: []).get()
        #expect(status == MailboxSamples.status)
    }

    @Test("a question decodes to itself", arguments: questions.indices)
    func questionRoundTrip(index: Int) throws {
        let question = Self.questions[index]
        let (body, secrets) = EnclaveMessageCodec.encode(question)
        let decoded = try EnclaveMessageCodec.decodeQuestion(body: body, secrets: secrets)
        // Questions cannot be compared, their bytes and secrets can.
        let (again, sameSecrets) = EnclaveMessageCodec.encode(decoded)
        #expect(again == body)
        #expect(sameSecrets.elementsEqual(secrets) { $0 === $1 })
        #expect(type(of: decoded) == type(of: question))
    }

    @Test("an answer decodes to itself", arguments: answers.indices)
    func answerRoundTrip(index: Int) throws {
        try roundTrip(Self.answers[index])
    }

    private func roundTrip<Answer: EnclaveAnswer>(_ answer: Answer) throws {
        let (body, secrets) = EnclaveMessageCodec.encode(answer)
        let decoded = try EnclaveMessageCodec.decode(Answer.self, body: body, secrets: secrets).get()
        let (again, sameSecrets) = EnclaveMessageCodec.encode(decoded)
        #expect(again == body)
        #expect(sameSecrets.elementsEqual(secrets) { $0 === $1 })
        if let sent = answer as? any Equatable {
            let isEqual = Self.isEqual(sent, to: decoded)
            #expect(isEqual)
        }
    }

    private static func isEqual<Value: Equatable>(_ value: Value, to other: Any) -> Bool {
        value == other as? Value
    }

    @Test("a refusal of the device may come in place of every answer", arguments: MailboxSamples.refusals)
    func refusalRoundTrip(_ refusal: EnclaveRefusal) throws {
        let (body, _) = EnclaveMessageCodec.encode(refusal)
        for answer in Self.answers { try expect(refusal, in: body, insteadOf: answer) }
    }

    private func expect<Answer: EnclaveAnswer>(
        _ refusal: EnclaveRefusal, in body: [UInt8], insteadOf answer: Answer
    ) throws {
        guard case .failure(let found) = try EnclaveMessageCodec.decode(Answer.self, body: body, secrets: []) else {
            Issue.record("an answer, and no refusal")
            return
        }
        #expect(found == refusal)
    }

    @Test("every operation, rule and finger has a number") func numbers() {
        #expect(Set(MessageNames.operations) == Set(GuardedOperation.allCases))
        #expect(Set(MessageNames.rules) == Set(VerdictRule.allCases))
        #expect(Set(MessageNames.fingers) == Set(Finger.allCases))
    }

    private static let exactQuestions: [(any EnclaveQuestion, [UInt8])] = [
        (AskStatus(), [1, 1]), (AskRevision(), [1, 33]), (LockDevice(immediately: true), [1, 7, 1]),
        (CreateKey(.whenUnlocked, .item, binding: [9]), [1, 10, 6, 1, 0, 1, 9]),
        (UnwrapKeys([], context: context), [1, 14] + context.bytes + [0, 0]),
        (
            MakeFileKeys(.completeUnlessOpen, for: [file, file]),
            [1, 22, 2, 0, 2] + file.bytes + file.bytes
        ),
        (
            RewrapKey(MailboxSamples.fileKey(.complete), to: .none),
            [1, 23, 1] + file.bytes + [0, 40] + [UInt8](repeating: 9, count: 40) + [4]
        ),
        (WrapSyncKey(key, under: .whenUnlockedThisDeviceOnly, binding: [7, 8]), [1, 32, 9, 0, 2, 7, 8]),
        (
            AssessDemand(.accessControl(control, .decrypt), in: context),
            [1, 16, 5] + context.bytes + controlField + [3]
        ),
        (BeginEnrolment(of: .rightIndex, passcode: secret), [1, 17, 2, 7]),
        (MakeKey(under: control, context: nil), [1, 18, 1, 0] + controlField),
        (SignDigest([9], with: [7, 8], context: context), [1, 18, 2, 1] + context.bytes + [0, 2, 7, 8, 0, 1, 9]),
        (AgreeOnKey(with: [4], by: [7], context: nil), [1, 18, 3, 0, 0, 1, 7, 0, 1, 4]),
        (DescribeKeys([[7], []]), [1, 18, 4, 0, 2, 0, 1, 7, 0, 0]), (DeleteKeys([[7]]), [1, 18, 5, 0, 1, 0, 1, 7]),
        (MakeKey(.mlkem768, under: control, context: context), [1, 18, 6, 1] + context.bytes + [2] + controlField),
        (MakeKey(.compactP256, under: control, context: nil), [1, 18, 6, 0, 6] + controlField),
        (
            SignMessage([8, 9], contextString: [5], with: [7], context: nil),
            [1, 18, 7, 0, 0, 1, 7, 0, 1, 5, 0, 0, 0, 2, 8, 9]
        ),
        (Decapsulate([8], with: [7], context: nil), [1, 18, 8, 0, 0, 1, 7, 0, 1, 8]),
    ]

    private static let exactAnswers: [(any EnclaveAnswer, [UInt8])] = [
        (EnclaveLoad(contexts: 3, cachedKeys: 258), [1, 14, 0, 3, 1, 2]),
        (EnclaveRevision(258, isReplaced: true), [1, 22, 1, 2, 1]),
        (KeyEpoch(258), [1, 6, 0, 0, 0, 0, 0, 0, 1, 2]), ([KeyOutcome.refused(.locked)], [1, 5, 0, 1, 1]),
        (Result<RewrappedKey, KeyRefusal>.success(RewrappedKey([7])), [1, 15, 0, 1, 7]),
        (Result<RewrappedKey, KeyRefusal>.failure(.locked), [1, 4, 1]),
        (NewKeyAnswer.created(blob: [7], publicKey: [4]), [1, 11, 1, 0, 1, 7, 0, 1, 4]),
        (SignatureAnswer.signed([0x30]), [1, 11, 2, 0, 1, 0x30]), (KeyExchangeAnswer.agreed(key), [1, 11, 3]),
        (
            [.present(publicKey: [4], accessControl: control), .gone(.deleted)] as [KeyDescription],
            [1, 11, 4, 0, 2, 0, 0, 1, 4] + controlField + [7]
        ),
        (KeysDeleted(), [1, 11, 5]), (NewKeyAnswer.refused(.deleted), [1, 11, 6, 7]),
        (
            SignatureAnswer.lacks(MissingProof(accessControl: control, verdict: .needs(.match), context: context)),
            [1, 11, 10] + context.bytes + controlField + [6, 1]
        ),
        (SignatureAnswer.refused(.deleted), [1, 11, 6, 7]), (KeyExchangeAnswer.badInput(.p256), [1, 11, 7]),
        (SignatureAnswer.otherKind(.mldsa87), [1, 11, 8, 5]), (KeyExchangeAnswer.badInput(.mlkem1024), [1, 11, 9, 3]),
        (ContextAnswer<Verdict>.known(.refused(.enrolmentChanged)), [1, 9, 7, 11]),
        (MatchOutcome.notMatched(missesLeft: 4), [1, 10, 3, 2, 4]),
    ]

    @Test("messages have exactly these bytes") func exactBytes() {
        for (question, bytes) in Self.exactQuestions {
            #expect(EnclaveMessageCodec.encode(question).body == bytes, "\(type(of: question))")
        }
        for (answer, bytes) in Self.exactAnswers {
            #expect(EnclaveMessageCodec.encode(answer).body == bytes, "\(type(of: answer))")
        }
    }

    /// With the messages that an enclave and a keychain of before this contract's types sent each other.
    @Test("messages are written as they ever were", arguments: [1, 2]) func oldBytes(_ revision: Int) throws {
        let text = try String(contentsOf: PackageFolder.file("Fixtures/Mailbox/\(revision).txt"), encoding: .utf8)
        let lines = Set(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init))
        let written =
            Self.questions.map { Self.line("q", EnclaveMessageCodec.encode($0)) }
            + Self.answers.map { Self.line("a", EnclaveMessageCodec.encode($0)) }
            + MailboxSamples.refusals.map { Self.line("a", EnclaveMessageCodec.encode($0)) }
        #expect(lines.subtracting(written) == [])
    }

    private static func line(_ direction: String, _ message: EnclaveMessageCodec.Encoded) -> String {
        "\(direction) \(Hexadecimal.text(message.body)) \(message.secrets.count)"
    }

    @Test("secrets stand beside the body, never in it") func secretsBeside() {
        for question in Self.questions {
            #expect(!Self.contains(EnclaveMessageCodec.encode(question).body, Array("1234".utf8)))
        }
    }

    static let refused: [([UInt8], Int, EnclaveMessageFailure)] = [
        ([], 0, .truncated), ([1], 0, .truncated), ([2, 1], 0, .unknownVersion(2)), ([1, 0], 0, .unknownKind(0)),
        ([1, 34], 0, .unknownKind(34)), ([1, 33, 0], 0, .trailingBytes(1)), ([1, 18], 0, .truncated),
        ([1, 32], 0, .truncated), ([1, 32, 5], 0, .badValue(field: "class", found: 5)),
        ([1, 32, 9, 0, 50], 1, .tooLarge(field: "binding", found: 50, limit: 49)),
        ([1, 32, 9, 0, 1, 7], 0, .secretMissing), ([1, 32, 9, 0, 1, 7], 1, .badSecretLength(found: 4)),
        ([1, 22], 0, .truncated), ([1, 22, 1], 0, .truncated),
        // Classes of files alone, and no recovery class.
        ([1, 22, 6, 0, 0], 0, .badValue(field: "class", found: 6)),
        ([1, 22, 5, 0, 0], 0, .badValue(field: "class", found: 5)),
        ([1, 22, 0, 0, 0], 0, .badValue(field: "class", found: 0)),
        ([1, 22, 1, 1, 1], 0, .tooLarge(field: "files", found: 257, limit: 256)),
        ([1, 22, 1, 0, 2] + file.bytes, 0, .truncated), ([1, 22, 1, 0, 1] + file.bytes.dropLast(), 0, .truncated),
        ([1, 22, 1, 0, 0, 0], 0, .trailingBytes(1)), ([1, 22, 1, 0, 0], 1, .secretsLeft(1)),
        ([1, 23, 8], 0, .badValue(field: "class", found: 8)), ([1, 23, 1] + file.bytes, 0, .truncated),
        ([1, 23, 1] + file.bytes + [1, 1], 0, .tooLarge(field: "wrapped key", found: 257, limit: 256)),
        // The length of another class.
        (
            [1, 23, 2] + file.bytes + [0, 40] + [UInt8](repeating: 9, count: 40) + [4], 0,
            .badValue(field: "wrapped key", found: 40)
        ),
        ([1, 23, 1] + file.bytes + [0, 40] + [UInt8](repeating: 9, count: 40), 0, .truncated),
        (
            [1, 23, 1] + file.bytes + [0, 40] + [UInt8](repeating: 9, count: 40) + [12], 0,
            .badValue(field: "class", found: 12)
        ),
        ([1, 18, 0], 0, .badValue(field: "key request", found: 0)),
        ([1, 18, 9], 0, .badValue(field: "key request", found: 9)),
        ([1, 18, 6, 0, 0, 0, 0], 0, .badValue(field: "new key", found: 0)),
        // It has a form of its own.
        ([1, 18, 6, 0, 1, 0, 0], 0, .badValue(field: "new key", found: 1)),
        ([1, 18, 6, 0, 7, 0, 0], 0, .badValue(field: "new key", found: 7)),
        ([1, 18, 6, 0, 2, 0x10, 1], 0, .tooLarge(field: "access control", found: 4097, limit: 4096)),
        ([1, 18, 7, 0, 0x10, 1], 0, .tooLarge(field: "blob", found: 4097, limit: 4096)),
        ([1, 18, 7, 0, 0, 0, 1, 0], 0, .tooLarge(field: "context string", found: 256, limit: 255)),
        (
            [1, 18, 7, 0, 0, 0, 0, 0, 0, 0x10, 0, 1], 0,
            .tooLarge(field: "message", found: 1_048_577, limit: 1_048_576)
        ),
        (
            [1, 18, 7, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], 0,
            .tooLarge(field: "message", found: 4_294_967_295, limit: 1_048_576)
        ),
        ([1, 18, 7, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1], 0, .truncated),
        ([1, 18, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1], 0, .trailingBytes(1)),
        ([1, 18, 8, 0, 0, 0, 6, 33], 0, .tooLarge(field: "ciphertext", found: 1569, limit: 1568)),
        ([1, 18, 8, 0, 0, 0, 0, 0], 1, .secretsLeft(1)),
        ([1, 18, 1, 0, 0, 0], 0, .badAccessControl), ([1, 18, 1, 0, 0, 1, 9], 0, .badAccessControl),
        ([1, 16, 10, 0, 1, 9], 0, .badAccessControl),
        ([1, 18, 1, 2], 0, .badValue(field: "context", found: 2)),
        ([1, 18, 1, 0, 0x10, 1], 0, .tooLarge(field: "access control", found: 4097, limit: 4096)),
        ([1, 18, 2, 0, 0x10, 1], 0, .tooLarge(field: "blob", found: 4097, limit: 4096)),
        ([1, 18, 2, 0, 0, 0, 0, 65], 0, .tooLarge(field: "digest", found: 65, limit: 64)),
        ([1, 18, 2, 0, 0, 2, 7], 0, .truncated), ([1, 18, 2, 1, 5], 0, .truncated),
        ([1, 18, 3, 0, 0, 0, 0, 66], 0, .tooLarge(field: "peer", found: 66, limit: 65)),
        ([1, 18, 4, 1, 1], 0, .tooLarge(field: "blobs", found: 257, limit: 256)),
        ([1, 18, 5, 0, 1], 0, .truncated), ([1, 18, 5, 0, 0], 1, .secretsLeft(1)),
        ([1, 18, 5, 0, 0, 0], 0, .trailingBytes(1)), ([1, 14], 0, .truncated),
        ([1, 16, 11], 0, .badValue(field: "context request", found: 11)),
        ([1, 17, 0], 0, .badValue(field: "biometry request", found: 0)),
        ([1, 17, 2, 0], 1, .badValue(field: "finger", found: 0)),
        ([1, 17, 2, 11], 1, .badValue(field: "finger", found: 11)), ([1, 1, 0], 0, .trailingBytes(1)),
        ([1, 1], 1, .secretsLeft(1)),
        ([1, 2], 0, .secretMissing), ([1, 3], 1, .secretMissing), ([1, 2], 2, .secretsLeft(1)),
        ([1, 7], 0, .truncated), ([1, 7, 2], 0, .badValue(field: "immediately", found: 2)),
        ([1, 8, 3], 0, .badValue(field: "passcode", found: 3)), ([1, 8, 1], 0, .secretMissing),
        ([1, 10, 5, 1, 0, 0], 0, .badValue(field: "class", found: 5)),
        ([1, 10, 6, 0, 0, 0], 0, .badValue(field: "use", found: 0)),
        ([1, 10, 6, 1, 0x10, 0x01], 0, .tooLarge(field: "binding", found: 4097, limit: 4096)),
        ([1, 10, 6, 1, 0, 2, 0], 0, .truncated),
        ([1, 11, 1, 1], 0, .tooLarge(field: "keys", found: 257, limit: 256)),
        ([1, 11, 0, 1], 0, .truncated),
        ([1, 11, 0, 1, 6, 1, 0, 0, 1, 1], 0, .tooLarge(field: "wrapped key", found: 257, limit: 256)),
        ([1, 12, 0, 0, 0], 0, .truncated),
        (
            [1, 9, 0, 0, 1, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], 0,
            .badValue(field: "grace period", found: 0x7FF8_0000_0000_0000)
        ),
    ]

    @Test("bytes that are not a valid question are refused with the reason", arguments: refused)
    func refusal(_ body: [UInt8], _ secrets: Int, _ failure: EnclaveMessageFailure) {
        #expect(throws: failure) {
            _ = try EnclaveMessageCodec.decodeQuestion(
                body: body, secrets: (0..<secrets).map { _ in Self.secret })
        }
    }

    @Test("secrets of impossible lengths are refused") func secretLengths() {
        let long = SecretBox(copying: [UInt8](repeating: 0, count: 4097))
        #expect(throws: EnclaveMessageFailure.badSecretLength(found: 4097)) {
            _ = try EnclaveMessageCodec.decodeQuestion(body: [1, 5], secrets: [long])
        }
        #expect(throws: EnclaveMessageFailure.badSecretLength(found: 4)) {
            _ = try EnclaveMessageCodec.decode(
                Result<CreatedKey, KeyRefusal>.self, body: [1, 3, 0, 0], secrets: [Self.secret])
        }
    }

    @Test("a binding that is too long for a message is refused by the reader, not cut silently") func longBinding() {
        let (body, secrets) = EnclaveMessageCodec.encode(
            CreateKey(.always, .item, binding: [UInt8](repeating: 0, count: 100_000)))
        #expect(throws: EnclaveMessageFailure.tooLarge(field: "binding", found: 65_535, limit: 4096)) {
            _ = try EnclaveMessageCodec.decodeQuestion(body: body, secrets: secrets)
        }
    }

    @Test("a long reason is cut at a character") func longReason() throws {
        let (body, _) = EnclaveMessageCodec.encode(EnclaveRefusal.storage(reason: String(repeating: "é", count: 3000)))
        try expect(.storage(reason: String(repeating: "é", count: 1024)), in: body, insteadOf: Done())
    }

    @Test("mutated messages never crash, and what decodes encodes to the same bytes", arguments: 0..<8)
    func mutations(seed: UInt64) {
        var state = seed &+ 1
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let messages =
            Self.questions.map { EnclaveMessageCodec.encode($0) } + Self.answers.map { EnclaveMessageCodec.encode($0) }
        for _ in 0..<3000 {
            var (body, secrets) = messages[random(messages.count)]
            for _ in 0...random(3) where !body.isEmpty {
                let place = random(body.count)
                switch random(3) {
                case 0: body[place] = UInt8(random(256))
                case 1: body.remove(at: place)
                default: body.insert(UInt8(random(256)), at: place)
                }
            }
            if random(8) == 0 { secrets = Array(secrets.dropLast()) }
            if let question = try? EnclaveMessageCodec.decodeQuestion(body: body, secrets: secrets) {
                #expect(EnclaveMessageCodec.encode(question).body == body, "seed \(seed)")
            }
            for type in EnclaveQuestions.all {
                guard let again = Self.reencoded(type, body, secrets) else { continue }
                #expect(again == body, "seed \(seed)")
            }
        }
    }

    private static func reencoded<Question: EnclaveQuestion>(
        _ type: Question.Type, _ body: [UInt8], _ secrets: [SecretBox]
    ) -> [UInt8]? {
        switch try? EnclaveMessageCodec.decode(Question.Answer.self, body: body, secrets: secrets) {
        // The short status is written in full.
        case .success(let status as EnclaveStatus)? where body[1] == 2:
            [body[0], 2] + EnclaveMessageCodec.encode(status).body.dropFirst(2).dropLast(3)
        case .success(let answer)?: EnclaveMessageCodec.encode(answer).body
        case .failure(let refusal)?: EnclaveMessageCodec.encode(refusal).body
        case nil: nil
        }
    }

    private static func contains(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
        guard bytes.count >= needle.count else { return false }
        return (0...bytes.count - needle.count).contains { Array(bytes[$0..<$0 + needle.count]) == needle }
    }

    static let refusedAnswers: [(any EnclaveAnswer.Type, [UInt8], EnclaveMessageFailure)] = [
        (ContextAnswer<Verdict>.self, [1, 9, 6, 0], .badValue(field: "evidence", found: 0)),
        (ContextAnswer<Verdict>.self, [1, 9, 6, 8], .badValue(field: "evidence", found: 8)),
        (ContextAnswer<Verdict>.self, [1, 9, 7, 12], .badValue(field: "rule", found: 12)),
        (OpenedContext.self, [1, 9, 2, 1], .truncated),
        (OpenedContext.self, [1, 9, 11], .badValue(field: "context reply", found: 11)),
        (MatchOutcome.self, [1, 10, 3, 7], .badValue(field: "match", found: 7)),
        (EnrolmentEvent.self, [1, 10, 2, 6, 8], .badValue(field: "obstacle", found: 8)),
        (BiometryStatus.self, [1, 10, 1, 0, 0, 0, 0, 11], .tooLarge(field: "fingers", found: 11, limit: 10)),
        ([KeyOutcome].self, [1, 5, 0, 1, 8], .badValue(field: "outcome", found: 8)),
        (Done.self, [1, 15], .unknownKind(15)), (Done.self, [1, 16], .unknownKind(16)),
        (
            Result<RewrappedKey, KeyRefusal>.self, [1, 15, 1, 1],
            .tooLarge(field: "wrapped key", found: 257, limit: 256)
        ),
        (Result<RewrappedKey, KeyRefusal>.self, [1, 4, 8], .badValue(field: "refusal", found: 8)),
        (Result<RewrappedKey, KeyRefusal>.self, [1, 3, 0, 0], .unknownKind(3)),
        (MadeEscrow.self, [1, 19, 0, 2, 1, 2], .badValue(field: "keybag", found: 2)),
        (SignatureAnswer.self, [1, 11, 0], .badValue(field: "key reply", found: 0)),
        (SignatureAnswer.self, [1, 11, 11], .badValue(field: "key reply", found: 11)),
        (NewKeyAnswer.self, [1, 11, 1, 0, 0, 0x0A, 0x21], .tooLarge(field: "public key", found: 2593, limit: 2592)),
        (SignatureAnswer.self, [1, 11, 2, 0x12, 0x14], .tooLarge(field: "signature", found: 4628, limit: 4627)),
        (KeyExchangeAnswer.self, [1, 11, 3], .secretMissing),
        (SignatureAnswer.self, [1, 11, 8], .truncated),
        (KeyExchangeAnswer.self, [1, 11, 9], .truncated),
        (SignatureAnswer.self, [1, 11, 8, 0], .badValue(field: "kind", found: 0)),
        (KeyExchangeAnswer.self, [1, 11, 9, 6], .badValue(field: "kind", found: 6)),
        ([KeyDescription].self, [1, 11, 4, 1, 1], .tooLarge(field: "keys", found: 257, limit: 256)),
        ([KeyDescription].self, [1, 11, 4, 0, 1, 8], .badValue(field: "description", found: 8)),
        ([KeyDescription].self, [1, 11, 4, 0, 1, 0], .truncated),
        (NewKeyAnswer.self, [1, 11, 6, 0], .badValue(field: "refusal", found: 0)),
        (NewKeyAnswer.self, [1, 11, 6, 8], .badValue(field: "refusal", found: 8)),
        // Ciphertexts are for other kinds than P-256 alone.
        (KeyExchangeAnswer.self, [1, 11, 9, 1], .badValue(field: "kind", found: 1)),
        // A refusal that names nothing missing is invalid.
        (
            SignatureAnswer.self, [1, 11, 10] + context.bytes + controlField + [5],
            .badValue(field: "verdict", found: 5)
        ),
        (KeyExchangeAnswer.self, [1, 11, 10] + context.bytes + [0, 1, 0, 5], .badAccessControl),
        // Answers to other questions.
        (Done.self, [1, 9, 1], .badValue(field: "context reply", found: 1)), (KeyEpoch.self, [1, 1], .unknownKind(1)),
        (ContextAnswer<Done>.self, [1, 9, 5], .badValue(field: "context reply", found: 5)),
    ]

    @Test(
        "bytes that are not a valid answer, or another one, are refused with the reason",
        arguments: refusedAnswers.indices)
    func answerRefusal(index: Int) {
        let (type, body, failure) = Self.refusedAnswers[index]
        expect(failure, of: body, as: type)
    }

    private func expect<Answer: EnclaveAnswer>(
        _ failure: EnclaveMessageFailure, of body: [UInt8], as type: Answer.Type
    ) {
        #expect(throws: failure) { _ = try EnclaveMessageCodec.decode(type, body: body, secrets: []) }
    }
}
