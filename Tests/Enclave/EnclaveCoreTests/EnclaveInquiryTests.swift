import LatchkeyAccessControl
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@testable import LatchkeyEnclaveCore

/// An enclave that answers everything with one reply.
private struct FixedEnclave: EnclaveMailbox {
    let reply: EnclaveReply
    let keyEpoch: UInt64 = 1

    func perform(_ request: EnclaveRequest) -> EnclaveReply { reply }
}

@Suite("Inquiries of the enclave") struct EnclaveInquiryTests {
    /// A question, and the number of samples of ``EnclaveRequestCodecTests/replies`` that answer it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let takes: @Sendable (EnclaveReply) -> Bool
        let ask: @Sendable (any EnclaveMailbox) throws(EnclaveRefusal) -> Void

        init<Answer>(
            _ name: String, _ question: EnclaveInquiry<Answer>, _ takes: @escaping @Sendable (EnclaveReply) -> Bool
        ) {
            testDescription = name
            self.takes = takes
            ask = { enclave throws(EnclaveRefusal) in _ = try enclave.ask(question) }
        }
    }

    private static let secret = SecretBox(copying: [1])
    private static let context = ContextIdentifier([UInt8](repeating: 1, count: 16))
    private static let isDone: @Sendable (EnclaveReply) -> Bool = { if case .done = $0 { true } else { false } }
    private static let isContextDone: @Sendable (EnclaveReply) -> Bool = { reply in
        switch reply {
        case .context(.done), .context(.unknown): true
        default: false
        }
    }
    private static let isKeyUse: @Sendable (EnclaveReply) -> Bool = { reply in
        switch reply {
        case .key(.signature), .key(.refused), .key(.otherKind): true
        default: false
        }
    }
    private static let isExchange: @Sendable (EnclaveReply) -> Bool = { reply in
        switch reply {
        case .key(.agreed), .key(.refused), .key(.otherKind), .key(.badPeer), .key(.badCiphertext): true
        default: false
        }
    }

    private static let ofDevice = [
        Row("setPasscode", .setPasscode(secret), isDone),
        Row("changePasscode", .changePasscode(from: secret, to: secret), isDone),
        Row("removePasscode", .removePasscode(secret), isDone), Row("unlock", .unlock(secret), isDone),
        Row("verifyPasscode", .verifyPasscode(secret), isDone), Row("lock", .lock(immediately: true), isDone),
        Row("erase", .erase(passcode: nil), isDone),
        Row("status", .status) { if case .status = $0 { true } else { false } },
        Row("passcodeCost", .passcodeCost) { if case .passcodeCost = $0 { true } else { false } },
        Row("keyEpoch", .keyEpoch(after: 1)) { if case .changed = $0 { true } else { false } },
        Row("createKey", .createKey(.always, .search)) { reply in
            switch reply {
            case .created, .createRefused: true
            default: false
            }
        },
        Row("createItemKeys", .createItemKeys(.always, under: AccessControl(protection: .always), count: 2)) { reply in
            switch reply {
            case .createdKeys(let keys): keys.count == 2
            case .createRefused: true
            default: false
            }
        },
        Row("unwrap", .unwrap([])) { if case .keys(let outcomes) = $0 { outcomes.isEmpty } else { false } },
        Row("biometry", .biometry) { if case .biometry(.status) = $0 { true } else { false } },
        Row("biometry request", .biometry(.cancelUnlock)) { if case .biometry = $0 { true } else { false } },
    ]

    private static let ofContextsAndKeys =
        (context.map { context in
            [
                Row("openContext", .openContext) { reply in
                    switch reply {
                    case .context(.opened), .context(.tooMany): true
                    default: false
                    }
                },
                Row("close", .close(context), isContextDone), Row("cancelMatch", .cancelMatch(context), isContextDone),
                Row("allowReuse", .allowReuse(seconds: 1, in: context), isContextDone),
                Row("offerPasscode", .offerPasscode(secret, to: context), isContextDone),
                Row("setApplicationPassword", .setApplicationPassword(nil, in: context), isContextDone),
                Row("assess", .assess(.policy(.deviceOwner), in: context)) { reply in
                    switch reply {
                    case .context(.verdict), .context(.unknown): true
                    default: false
                    }
                },
                Row("matchFinger", .matchFinger(seconds: 1, in: context)) { reply in
                    switch reply {
                    case .context(.match), .context(.unknown): true
                    default: false
                    }
                },
            ]
        } ?? []) + [
            Row("bind", .bind(AccessControl(protection: .always))) { reply in
                switch reply {
                case .context(.bound), .context(.notBound): true
                default: false
                }
            },
            Row("newKey", .newKey(.p256, under: AccessControl(protection: .always), context: nil)) { reply in
                switch reply {
                case .key(.created), .key(.refused), .context(.notBound): true
                default: false
                }
            },
            Row("sign digest", .sign(digest: [1], with: [2], context: nil), isKeyUse),
            Row("sign message", .sign(message: [1], contextString: [], with: [2], context: nil), isKeyUse),
            Row("agree", .agree(with: [4], by: [2], context: nil), isExchange),
            Row("decapsulate", .decapsulate([4], with: [2], context: nil), isExchange),
            Row("describe", .describe([])) { if case .key(.described(let list)) = $0 { list.isEmpty } else { false } },
            Row("delete", .delete([])) { if case .key(.done) = $0 { true } else { false } },
        ]

    @Test(
        "take their own answers and no others; a refusal of the device is thrown",
        arguments: ofDevice + ofContextsAndKeys)
    func answers(_ row: Row) throws {
        var taken = 0
        for reply in EnclaveRequestCodecTests.replies {
            let enclave = FixedEnclave(reply: reply)
            if case .refused(let refusal) = reply {
                #expect(throws: refusal) { try row.ask(enclave) }
            } else if row.takes(reply) {
                taken += 1
                #expect(throws: Never.self) { try row.ask(enclave) }
            } else {
                let refusal = #expect(throws: EnclaveRefusal.self) { try row.ask(enclave) }
                guard case .malformed? = refusal else {
                    Issue.record("\(reply) was taken as something else: \(String(describing: refusal))")
                    continue
                }
            }
        }
        #expect(taken > 0, "the samples have an answer")
    }

    @Test("with a secret of a person are never sent twice", arguments: EnclaveRequestCodecTests.requests.indices)
    func repetition(_ index: Int) {
        let request = EnclaveRequestCodecTests.requests[index]
        guard !EnclaveMessageCodec.encode(request).secrets.isEmpty else { return }
        #expect(!request.traits.contains(.repeatable))
    }
}
