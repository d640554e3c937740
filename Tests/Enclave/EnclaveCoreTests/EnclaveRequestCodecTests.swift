import LatchkeyAccessControl
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@testable import LatchkeyEnclaveCore

@Suite struct EnclaveRequestCodecTests {
    private static let secret = SecretBox(copying: Array("1234".utf8))
    private static let control = AccessControl(protection: .always)
    /// The access control as a field: its length, and its bytes.
    private static let controlField = [0, UInt8(control.serialised.count)] + control.serialised
    private static let key = SecretBox(copying: [UInt8](repeating: 5, count: 32))

    static let requests: [EnclaveRequest] =
        [
            .status, .setPasscode(new: secret), .changePasscode(current: secret, new: key),
            .removePasscode(current: secret), .unlock(passcode: secret), .verifyPasscode(secret),
            .unlock(passcode: SecretBox(copying: [])),
            .lock(immediately: true), .lock(immediately: false), .erase(passcode: nil), .erase(passcode: secret),
            .configure(passcode: nil, eraseAfterTenFailures: nil, gracePeriodSeconds: nil),
            .configure(passcode: secret, eraseAfterTenFailures: false, gracePeriodSeconds: 2.5),
            .configure(passcode: secret, eraseAfterTenFailures: nil, gracePeriodSeconds: nil, lockAfterSeconds: 0),
            .configure(passcode: nil, eraseAfterTenFailures: true, gracePeriodSeconds: 1, lockAfterSeconds: 600),
            .passcodeCost,
            .createKey(keyClass: .always, use: .search, binding: []),
            .createKeys(keyClass: .always, use: .item, binding: [7], count: 256),
            .createKey(keyClass: .whenUnlocked, use: .item, binding: [UInt8](repeating: 1, count: 4096)),
            .unwrapKeys([]),
            .unwrapKeys(
                (0..<256).map { index in
                    WrappedKey(
                        keyClass: KeyClass.allCases[index % 11], use: .metadata, binding: [UInt8(index)],
                        bytes: [UInt8](repeating: 3, count: 40))
                }),
            .waitForChange(epoch: .max),
            .createKeys(keyClass: .always, use: .item, binding: [7], count: 3, context: context),
            .unwrapKeys([], context: context),
            .unwrapKeys(
                [WrappedKey(keyClass: .whenUnlocked, use: .item, binding: [1], bytes: [2])], context: context),
        ]
        + contextRequests.map { .context($0) } + biometryRequests.map { .biometry($0) } + keyRequests.map { .key($0) }

    private static let context = ContextIdentifier(Array(100..<116))!

    static let contextRequests: [ContextRequest] =
        [
            .open, .close(context), .allowReuse(seconds: 300, context), .matchFinger(seconds: 60, context),
            .cancelMatch(context), .offerPasscode(secret, context), .setApplicationPassword(secret, context),
            .setApplicationPassword(nil, context), .bind(accessControl: Self.control),
            .bind(accessControl: Self.control),
        ] + AuthenticationPolicy.allCases.map { .assess(.policy($0), context) }
        + GuardedOperation.allCases.map { .assess(.accessControl(Self.control, $0), context) }

    static let biometryRequests: [FingerRequest] =
        [
            .status, .continueEnrolment, .cancelEnrolment, .removeFinger(nil, passcode: secret),
            .unlockWithFinger(seconds: 0.5), .cancelUnlock, .lockRemotely,
        ]
        + Finger.allCases.flatMap {
            [.beginEnrolment($0, passcode: secret), .removeFinger($0, passcode: secret)]
        }

    private static let longBlob = [UInt8](repeating: 8, count: EnclaveLimits.keyBlobByteCount)

    static let keyRequests: [EnclaveKeyRequest] =
        [
            .create(accessControl: Self.control, context: nil),
            .create(accessControl: Self.control, context: context),
            .sign(blob: [1, 2, 3], digest: [UInt8](repeating: 4, count: 64), context: context),
            .sign(blob: longBlob, digest: [], context: nil),
            .agree(blob: [1], peer: [UInt8](repeating: 4, count: 65), context: nil),
            .agree(blob: [], peer: [9], context: context),
            .describe([]), .describe([[1], [], longBlob]), .describe([[UInt8]](repeating: [7], count: 256)),
            .delete([]), .delete([[1], [2, 3]]),
            .signMessage(blob: [1, 2], message: [3], contextString: [4, 5], context: context),
            .signMessage(blob: [], message: [], contextString: [], context: nil),
            .signMessage(
                blob: longBlob, message: [UInt8](repeating: 6, count: EnclaveLimits.messageByteCount),
                contextString: [UInt8](repeating: 7, count: 255), context: nil),
            .decapsulate(blob: [1, 2], ciphertext: [UInt8](repeating: 3, count: 1088), context: nil),
            .decapsulate(blob: longBlob, ciphertext: [UInt8](repeating: 3, count: 1568), context: context),
        ]
        + NewEnclaveKey.allCases.flatMap { key in
            [
                .create(key, accessControl: Self.control, context: nil),
                .create(key, accessControl: Self.control, context: context),
            ]
        }

    static let keyReplies: [EnclaveKeyReply] =
        [
            .created(blob: longBlob, publicKey: [UInt8](repeating: 4, count: 65)),
            .signature([UInt8](repeating: 1, count: 72)),
            .signature([]), .agreed(key), .described([]), .done, .badPeer,
            .described([
                .present(publicKey: [4, 5], accessControl: Self.control), .gone(.deleted),
                .present(publicKey: [], accessControl: Self.control),
            ]),
            .described([KeyDescription](repeating: .gone(.damaged), count: 256)),
            .signature([UInt8](repeating: 1, count: 4627)),
        ]
        + EnclaveKeyKind.allCases.flatMap { kind -> [EnclaveKeyReply] in
            let publicKey = [UInt8](repeating: 9, count: kind.publicKeyByteCount)
            return [
                .otherKind(kind), .badCiphertext(kind), .created(blob: longBlob, publicKey: publicKey),
                .described([.present(publicKey: publicKey, accessControl: Self.control)]),
            ]
        } + keyRefusals.flatMap { [.refused($0), .described([.gone($0)])] }

    static let keyRefusals: [KeyRefusal] = [
        .locked, .classKeyMissing, .damaged, .authenticationNeeded, .invalidated, .wrongApplicationPassword, .deleted,
    ]

    static let outcomes: [MatchOutcome] =
        [.matched(nil), .notMatched(missesLeft: 4), .notMatched(missesLeft: 0), .cancelled, .timedOut]
        + Finger.allCases.map { .matched($0) } + UnclearTouch.allCases.map { .unclear($0) }
        + VerdictRule.allCases.map { .refused($0) }

    static let contextReplies: [ContextReply] =
        [
            .done, .opened(context), .unknown, .tooMany, .verdict(.granted), .bound(Self.control), .notBound(nil),
            .verdict(.needs(.match)), .verdict(.needs([.match, .passcode])), .verdict(.needs(.applicationPassword)),
        ] + VerdictRule.allCases.flatMap { [.verdict(.refused($0)), .notBound($0)] } + outcomes.map { .match($0) }

    static let biometryReplies: [FingerReply] =
        [
            .done, .enrolment(.stage(done: 3, total: 5)), .enrolment(.completed), .enrolment(.duplicate),
            .enrolment(.ended),
            .status(
                BiometryStatus(survey: .noSensor, obstacle: .biometryNotAvailable, enrolmentSet: nil, missesLeft: 5)),
            .status(
                BiometryStatus(
                    survey: SensorSurvey(
                        name: "Leser é", fingers: Finger.allCases, digest: Array(0..<32), seesTemplates: true),
                    obstacle: nil, enrolmentSet: EnrolmentSet(Array(0..<16)), missesLeft: 2)),
        ]
        + SensorObstacle.allCases.flatMap { [.removalFailed($0), .enrolment(.failed($0))] }
        + UnclearTouch.allCases.map { .enrolment(.unclear($0)) } + outcomes.map { .match($0) }

    static let status = EnclaveStatus(
        lockState: .locked, hasPasscode: true, failedAttempts: 7, secondsUntilNextAttempt: 12.5, isDisabled: false,
        eraseAfterTenFailures: true, gracePeriodSeconds: 10, graceSecondsLeft: 3.25, keyEpoch: 1 << 50,
        rootOfTrust: "software", keybagUUID: Array(0..<16))

    static let fullStatus = {
        var full = status
        full.lockAfterSeconds = 600
        full.passcodeStrength = .million
        full.secondsPerTry = 0.125
        return full
    }()

    @Test("the status of an enclave that runs since before an update has no strength and no time until locking")
    func shortStatus() throws {
        let body = EnclaveMessageCodec.encode(.status(Self.status)).body
        let short = [body[0], 2] + body.dropFirst(2).dropLast(3)
        guard case .status(let status) = try EnclaveMessageCodec.decodeReply(body: short, secrets: []) else {
            Issue.record("no status")
            return
        }
        #expect(status == Self.status)
    }

    static let refusals: [EnclaveRefusal] = [
        .wrongPasscode(attemptsLeft: 3), .sameWrongPasscode, .delayed(seconds: 59.5), .disabled, .erased,
        .passcodeNeeded, .passcodeAlreadySet, .noPasscodeSet, .badPasscode(reason: "kurz"), .storage(reason: "voll é"),
        .malformed(reason: ""),
    ]

    static let replies: [EnclaveReply] =
        [
            .done, .status(status), .status(fullStatus), .passcodeCost(secondsPerTry: 0.083),
            .created(key: key, wrapped: [1, 2, 3]),
            .createdKeys([CreatedKey(key: key, wrapped: [1]), CreatedKey(key: key, wrapped: [2, 3])]),
            .createRefused(.locked),
            .createRefused(.classKeyMissing), .keys([]),
            .keys([.key(key), .refused(.locked), .key(key), .refused(.damaged), .refused(.classKeyMissing)]),
            .changed(epoch: 77), .createRefused(.authenticationNeeded),
            .keys([.refused(.authenticationNeeded), .refused(.invalidated), .refused(.wrongApplicationPassword)]),
        ] + refusals.map { .refused($0) } + contextReplies.map { .context($0) }
        + biometryReplies.map { .biometry($0) } + keyReplies.map { .key($0) }

    @Test("a request decodes to itself", arguments: requests.indices)
    func requestRoundTrip(index: Int) throws {
        let (body, secrets) = EnclaveMessageCodec.encode(Self.requests[index])
        let decoded = try EnclaveMessageCodec.decodeRequest(body: body, secrets: secrets)
        // Requests cannot be compared, their bytes and secrets can.
        let (again, sameSecrets) = EnclaveMessageCodec.encode(decoded)
        #expect(again == body)
        #expect(sameSecrets.elementsEqual(secrets) { $0 === $1 })
        #expect(Self.name(of: decoded) == Self.name(of: Self.requests[index]))
    }

    @Test("a reply decodes to itself", arguments: replies.indices)
    func replyRoundTrip(index: Int) throws {
        let (body, secrets) = EnclaveMessageCodec.encode(Self.replies[index])
        let decoded = try EnclaveMessageCodec.decodeReply(body: body, secrets: secrets)
        let (again, sameSecrets) = EnclaveMessageCodec.encode(decoded)
        #expect(again == body)
        #expect(sameSecrets.elementsEqual(secrets) { $0 === $1 })
        if case .refused(let refusal) = Self.replies[index], case .refused(let found) = decoded {
            #expect(found == refusal)
        }
        if case .status(let sent) = Self.replies[index], case .status(let found) = decoded { #expect(found == sent) }
        switch (Self.replies[index], decoded) {
        case (.context(let sent), .context(let found)): #expect(sent == found)
        case (.biometry(let sent), .biometry(let found)): #expect(sent == found)
        case (.key(.described(let sent)), .key(.described(let found))): #expect(sent == found)
        case (.key(let sent), .key(let found)):
            #expect("\(sent)".prefix { $0 != "(" } == "\(found)".prefix { $0 != "(" })
        case (.context, _), (.biometry, _), (.key, _), (_, .context), (_, .biometry), (_, .key):
            Issue.record("another kind")
        default: break
        }
    }

    @Test("every operation, rule and finger has a number") func numbers() {
        #expect(Set(EnclaveMessageCodec.operations) == Set(GuardedOperation.allCases))
        #expect(Set(EnclaveMessageCodec.rules) == Set(VerdictRule.allCases))
        #expect(Set(EnclaveMessageCodec.fingers) == Set(Finger.allCases))
    }

    @Test("messages have exactly these bytes") func exactBytes() {
        #expect(EnclaveMessageCodec.encode(.status).body == [1, 1])
        #expect(EnclaveMessageCodec.encode(.lock(immediately: true)).body == [1, 7, 1])
        #expect(
            EnclaveMessageCodec.encode(.createKey(keyClass: .whenUnlocked, use: .item, binding: [9])).body
                == [1, 10, 6, 1, 0, 1, 9])
        #expect(EnclaveMessageCodec.encode(EnclaveReply.changed(epoch: 258)).body == [1, 6, 0, 0, 0, 0, 0, 0, 1, 2])
        #expect(EnclaveMessageCodec.encode(.keys([.refused(.locked)])).body == [1, 5, 0, 1, 1])
        let context = Array(UInt8(100)..<116)
        #expect(
            EnclaveMessageCodec.encode(.unwrapKeys([], context: Self.context)).body == [1, 14] + context + [0, 0])
        #expect(
            EnclaveMessageCodec.encode(.context(.assess(.accessControl(Self.control, .decrypt), Self.context))).body
                == [1, 16, 5] + context + Self.controlField + [3])
        #expect(
            EnclaveMessageCodec.encode(.biometry(.beginEnrolment(.rightIndex, passcode: Self.secret))).body
                == [1, 17, 2, 7])
        #expect(
            EnclaveMessageCodec.encode(.key(.create(accessControl: Self.control, context: nil))).body
                == [1, 18, 1, 0] + Self.controlField)
        #expect(
            EnclaveMessageCodec.encode(.key(.sign(blob: [7, 8], digest: [9], context: Self.context))).body
                == [1, 18, 2, 1] + context + [0, 2, 7, 8, 0, 1, 9])
        #expect(
            EnclaveMessageCodec.encode(.key(.agree(blob: [7], peer: [4], context: nil))).body
                == [1, 18, 3, 0, 0, 1, 7, 0, 1, 4])
        #expect(EnclaveMessageCodec.encode(.key(.describe([[7], []]))).body == [1, 18, 4, 0, 2, 0, 1, 7, 0, 0])
        #expect(EnclaveMessageCodec.encode(.key(.delete([[7]]))).body == [1, 18, 5, 0, 1, 0, 1, 7])
        #expect(
            EnclaveMessageCodec.encode(.key(.created(blob: [7], publicKey: [4]))).body == [1, 11, 1, 0, 1, 7, 0, 1, 4])
        #expect(EnclaveMessageCodec.encode(.key(.signature([0x30]))).body == [1, 11, 2, 0, 1, 0x30])
        #expect(EnclaveMessageCodec.encode(.key(.agreed(Self.key))).body == [1, 11, 3])
        #expect(
            EnclaveMessageCodec.encode(
                .key(.described([.present(publicKey: [4], accessControl: Self.control), .gone(.deleted)]))
            ).body == [1, 11, 4, 0, 2, 0, 0, 1, 4] + Self.controlField + [7])
        #expect(EnclaveMessageCodec.encode(.key(EnclaveKeyReply.done)).body == [1, 11, 5])
        #expect(EnclaveMessageCodec.encode(.key(.refused(.deleted))).body == [1, 11, 6, 7])
        #expect(EnclaveMessageCodec.encode(.key(.badPeer)).body == [1, 11, 7])
        #expect(
            EnclaveMessageCodec.encode(.key(.create(.mlkem768, accessControl: Self.control, context: Self.context)))
                .body
                == [1, 18, 6, 1] + context + [2] + Self.controlField)
        #expect(
            EnclaveMessageCodec.encode(.key(.create(.compactP256, accessControl: Self.control, context: nil))).body
                == [1, 18, 6, 0, 6] + Self.controlField)
        #expect(
            EnclaveMessageCodec.encode(
                .key(.signMessage(blob: [7], message: [8, 9], contextString: [5], context: nil))
            ).body == [1, 18, 7, 0, 0, 1, 7, 0, 1, 5, 0, 0, 0, 2, 8, 9])
        #expect(
            EnclaveMessageCodec.encode(.key(.decapsulate(blob: [7], ciphertext: [8], context: nil))).body
                == [1, 18, 8, 0, 0, 1, 7, 0, 1, 8])
        #expect(EnclaveMessageCodec.encode(.key(.otherKind(.mldsa87))).body == [1, 11, 8, 5])
        #expect(EnclaveMessageCodec.encode(.key(.badCiphertext(.mlkem1024))).body == [1, 11, 9, 3])
        #expect(EnclaveMessageCodec.encode(.context(.verdict(.refused(.enrolmentChanged)))).body == [1, 9, 7, 11])
        #expect(EnclaveMessageCodec.encode(.biometry(.match(.notMatched(missesLeft: 4)))).body == [1, 10, 3, 2, 4])
    }

    @Test("secrets stand beside the body, never in it") func secretsBeside() {
        for request in Self.requests {
            let (body, _) = EnclaveMessageCodec.encode(request)
            #expect(!Self.contains(body, Array("1234".utf8)))
        }
    }

    static let refused: [([UInt8], Int, EnclaveMessageFailure)] = [
        ([], 0, .truncated), ([1], 0, .truncated), ([2, 1], 0, .unknownVersion(2)), ([1, 0], 0, .unknownKind(0)),
        ([1, 21], 0, .unknownKind(21)), ([1, 18], 0, .truncated),
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

    @Test("bytes that are no request are refused with the reason", arguments: refused)
    func refusal(_ body: [UInt8], _ secrets: Int, _ failure: EnclaveMessageFailure) {
        #expect(throws: failure) {
            _ = try EnclaveMessageCodec.decodeRequest(
                body: body, secrets: (0..<secrets).map { _ in Self.secret })
        }
    }

    @Test("secrets of impossible lengths are refused") func secretLengths() {
        let long = SecretBox(copying: [UInt8](repeating: 0, count: 4097))
        #expect(throws: EnclaveMessageFailure.badSecretLength(found: 4097)) {
            _ = try EnclaveMessageCodec.decodeRequest(body: [1, 5], secrets: [long])
        }
        #expect(throws: EnclaveMessageFailure.badSecretLength(found: 4)) {
            _ = try EnclaveMessageCodec.decodeReply(body: [1, 3, 0, 0], secrets: [Self.secret])
        }
    }

    @Test("a binding that is too long for a message is refused by the reader, not cut silently") func longBinding() {
        let (body, secrets) = EnclaveMessageCodec.encode(
            .createKey(keyClass: .always, use: .item, binding: [UInt8](repeating: 0, count: 100_000)))
        #expect(throws: EnclaveMessageFailure.tooLarge(field: "binding", found: 65_535, limit: 4096)) {
            _ = try EnclaveMessageCodec.decodeRequest(body: body, secrets: secrets)
        }
    }

    @Test("a long reason is cut at a character") func longReason() throws {
        let (body, _) = EnclaveMessageCodec.encode(.refused(.storage(reason: String(repeating: "é", count: 3000))))
        guard case .refused(.storage(let reason)) = try EnclaveMessageCodec.decodeReply(body: body, secrets: []) else {
            Issue.record("another reply")
            return
        }
        #expect(reason == String(repeating: "é", count: 1024))
    }

    @Test("mutated messages never crash, and what decodes encodes to the same bytes", arguments: 0..<8)
    func mutations(seed: UInt64) {
        var state = seed &+ 1
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let messages =
            Self.requests.map { EnclaveMessageCodec.encode($0) } + Self.replies.map { EnclaveMessageCodec.encode($0) }
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
            if let request = try? EnclaveMessageCodec.decodeRequest(body: body, secrets: secrets) {
                #expect(EnclaveMessageCodec.encode(request).body == body, "seed \(seed)")
            }
            if let reply = try? EnclaveMessageCodec.decodeReply(body: body, secrets: secrets) {
                #expect(EnclaveMessageCodec.encode(reply).body == body, "seed \(seed)")
            }
        }
    }

    private static func contains(_ bytes: [UInt8], _ needle: [UInt8]) -> Bool {
        guard bytes.count >= needle.count else { return false }
        return (0...bytes.count - needle.count).contains { Array(bytes[$0..<$0 + needle.count]) == needle }
    }

    static let refusedReplies: [([UInt8], EnclaveMessageFailure)] = [
        ([1, 9, 6, 0], .badValue(field: "evidence", found: 0)), ([1, 9, 6, 8], .badValue(field: "evidence", found: 8)),
        ([1, 9, 7, 12], .badValue(field: "rule", found: 12)), ([1, 9, 2, 1], .truncated),
        ([1, 9, 11], .badValue(field: "context reply", found: 11)),
        ([1, 10, 3, 7], .badValue(field: "match", found: 7)),
        ([1, 10, 2, 6, 8], .badValue(field: "obstacle", found: 8)),
        ([1, 10, 1, 0, 0, 0, 0, 11], .tooLarge(field: "fingers", found: 11, limit: 10)),
        ([1, 5, 0, 1, 8], .badValue(field: "outcome", found: 8)), ([1, 14], .unknownKind(14)),
        ([1, 11, 0], .badValue(field: "key reply", found: 0)), ([1, 11, 10], .badValue(field: "key reply", found: 10)),
        ([1, 11, 1, 0, 0, 0x0A, 0x21], .tooLarge(field: "public key", found: 2593, limit: 2592)),
        ([1, 11, 2, 0x12, 0x14], .tooLarge(field: "signature", found: 4628, limit: 4627)),
        ([1, 11, 3], .secretMissing), ([1, 11, 8], .truncated), ([1, 11, 9], .truncated),
        ([1, 11, 8, 0], .badValue(field: "kind", found: 0)), ([1, 11, 9, 6], .badValue(field: "kind", found: 6)),
        ([1, 11, 4, 1, 1], .tooLarge(field: "keys", found: 257, limit: 256)),
        ([1, 11, 4, 0, 1, 8], .badValue(field: "description", found: 8)), ([1, 11, 4, 0, 1, 0], .truncated),
        ([1, 11, 6, 0], .badValue(field: "refusal", found: 0)), ([1, 11, 6, 8], .badValue(field: "refusal", found: 8)),
    ]

    @Test("bytes that are no reply are refused with the reason", arguments: refusedReplies)
    func replyRefusal(_ body: [UInt8], _ failure: EnclaveMessageFailure) {
        #expect(throws: failure) { _ = try EnclaveMessageCodec.decodeReply(body: body, secrets: []) }
    }

    /// The case of a request, to tell requests with equal bytes apart.
    private static func name(of request: EnclaveRequest) -> String {
        String("\(request)".prefix { $0 != "(" })
    }
}
