import LatchkeyAccessControl
import LatchkeyKeybag
import LatchkeySecretMemory

@testable import LatchkeyEnclaveContract

/// Messages of the mailbox, of every kind and with every value of short lists.
enum MailboxSamples {
    static let secret = SecretBox(copying: Array("1234".utf8))
    static let control = AccessControl(protection: .always)
    static let key = SecretBox(copying: [UInt8](repeating: 5, count: 32))
    static let context = ContextIdentifier(Array(100..<116))!
    private static let longBlob = [UInt8](repeating: 8, count: EnclaveLimits.keyBlobByteCount)

    static let questions: [any EnclaveQuestion] =
        deviceQuestions + itemKeyQuestions + fileKeyQuestions + syncKeyQuestions + backupQuestions + escrowQuestions
        + contextQuestions
        + fingerQuestions
        + keyQuestions

    private static let deviceQuestions: [any EnclaveQuestion] = [
        AskLoad(), AskStatus(), SetPasscode(secret), ChangePasscode(from: secret, to: key), RemovePasscode(secret),
        UnlockDevice(secret), VerifyPasscode(secret), UnlockDevice(SecretBox(copying: [])),
        LockDevice(immediately: true), LockDevice(immediately: false), EraseDevice(passcode: nil),
        EraseDevice(passcode: secret), ConfigureDevice(passcode: nil),
        ConfigureDevice(passcode: secret, eraseAfterTenFailures: false, gracePeriodSeconds: 2.5),
        ConfigureDevice(passcode: secret, lockAfterSeconds: 0),
        ConfigureDevice(passcode: nil, eraseAfterTenFailures: true, gracePeriodSeconds: 1, lockAfterSeconds: 600),
        MeasurePasscodeCost(), AwaitKeyChange(after: .max), AskRevision(),
    ]

    private static let itemKeyQuestions: [any EnclaveQuestion] = [
        CreateKey(.always, .search), CreateKeys(.always, .item, binding: [7], count: 256),
        CreateKey(.whenUnlocked, .item, binding: [UInt8](repeating: 1, count: 4096)), UnwrapKeys([]),
        UnwrapKeys(
            (0..<256).map { index in
                WrappedKey(
                    keyClass: KeyClass.allCases[index % 11], use: .metadata, binding: [UInt8(index)],
                    bytes: [UInt8](repeating: 3, count: 40))
            }),
        CreateKeys(.always, .item, binding: [7], count: 3, context: context), UnwrapKeys([], context: context),
        UnwrapKeys([WrappedKey(keyClass: .whenUnlocked, use: .item, binding: [1], bytes: [2])], context: context),
    ]

    static let file = FileIdentifier(Array(200..<216))!

    static func fileKey(_ protection: FileProtection) -> WrappedFileKey {
        let bytes = [UInt8](repeating: 9, count: WrappedFileKey.byteCount(protection))
        return WrappedFileKey(bytes, of: file, protection)!
    }

    private static let fileKeyQuestions: [any EnclaveQuestion] =
        [
            MakeFileKeys(.none, for: []),
            MakeFileKeys(.complete, for: [FileIdentifier](repeating: file, count: 256)),
            UnwrapKeys(FileProtection.allCases.map { fileKey($0).wrappedKey }),
        ]
        + FileProtection.allCases.flatMap { protection -> [any EnclaveQuestion] in
            [MakeFileKeys(protection, for: [file])]
                + FileProtection.allCases.map { RewrapKey(fileKey(protection), to: $0) }
        }

    static let syncBinding = [UInt8](repeating: 4, count: EnclaveLimits.syncBindingByteCount)

    private static let syncKeyQuestions: [any EnclaveQuestion] =
        KeyClass.allCases.map { WrapSyncKey(key, under: $0, binding: syncBinding) } + [
            WrapSyncKey(key, under: .whenUnlockedThisDeviceOnly, binding: []),
            UnwrapKeys([
                WrappedKey(
                    keyClass: .afterFirstUnlockThisDeviceOnly, use: .sync, binding: syncBinding,
                    bytes: [UInt8](repeating: 9, count: 40))
            ]),
        ]

    static let backupKeys = SealedBackupKeys(
        keybag: Array(0..<16),
        keys: [1, 11].map { SealedBackupKeys.Key(classNumber: $0, bytes: [UInt8](repeating: $0, count: 40)) })

    private static let backupQuestions: [any EnclaveQuestion] =
        [nil, BackupPasswordParameters.Round(salt: [UInt8](repeating: 2, count: 20), iterations: 10_000_000)].map {
            MakeBackupKeybag(
                BackupPasswordParameters(
                    first: $0,
                    second: BackupPasswordParameters.Round(salt: [UInt8](repeating: 3, count: 20), iterations: 1))!,
                passcodeKey: key, isEncrypted: $0 != nil)
        } + [
            OpenBackupKeybag([1, 2, 3], passcodeKey: key), OpenBackupKeybag([], passcodeKey: key, context: context),
            CreateBackupKeys(backupKeys, classNumbers: [1, 2, 11]),
            CreateBackupKeys(SealedBackupKeys(keybag: Array(0..<16), keys: []), classNumbers: []),
            CreateBackupKeys(backupKeys, classNumbers: [1], context: context),
            UnwrapBackupKeys(backupKeys, []), UnwrapBackupKeys(backupKeys, [], context: context),
            UnwrapBackupKeys(
                backupKeys, [UnwrapBackupKeys.Key(classNumber: 6, bytes: [UInt8](repeating: 4, count: 40))]),
        ]

    /// Its version, its kind, and its identifier.
    static let hostKeybag = try! Keybag(
        parsing: Array("VERS".utf8) + [0, 0, 0, 4, 0, 0, 0, 5] + Array("TYPE".utf8) + [0, 0, 0, 4, 0, 0, 0, 2]
            + Array("UUID".utf8) + [0, 0, 0, 16] + Array(0..<16))
    static let sealedEscrowKey = SealedEscrowKey([UInt8](repeating: 6, count: 40))!

    private static let escrowQuestions: [any EnclaveQuestion] = [
        MakeEscrow(passcode: secret), OpenEscrow([1, 2, 3], sealedEscrowKey), OpenEscrow([], sealedEscrowKey),
        CreateKey(.whenUnlocked, .metadata, context: context),
        MakeFileKeys(.complete, for: [file], context: context),
    ]

    private static let contextQuestions: [any EnclaveQuestion] =
        [
            OpenContext(), CloseContext(context), AllowReuse(seconds: 300, in: context),
            MatchFinger(seconds: 60, in: context), CancelMatch(context), OfferPasscode(secret, to: context),
            SetApplicationPassword(secret, in: context), SetApplicationPassword(nil, in: context),
            BindAccessControl(control),
        ] + AuthenticationPolicy.allCases.map { AssessDemand(.policy($0), in: context) }
        + GuardedOperation.allCases.map { AssessDemand(.accessControl(control, $0), in: context) }

    private static let fingerQuestions: [any EnclaveQuestion] =
        [
            AskBiometry(), ContinueEnrolment(), CancelEnrolment(), RemoveFinger(nil, passcode: secret),
            UnlockWithFinger(seconds: 0.5), CancelUnlock(), LockRemotely(),
        ] + Finger.allCases.map { BeginEnrolment(of: $0, passcode: secret) }
        + Finger.allCases.map { RemoveFinger($0, passcode: secret) }

    private static let keyQuestions: [any EnclaveQuestion] =
        [
            SignDigest([UInt8](repeating: 4, count: 64), with: [1, 2, 3], context: context),
            SignDigest([], with: longBlob, context: nil),
            AgreeOnKey(with: [UInt8](repeating: 4, count: 65), by: [1], context: nil),
            AgreeOnKey(with: [9], by: [], context: context),
            DescribeKeys([]), DescribeKeys([[1], [], longBlob]), DescribeKeys([[UInt8]](repeating: [7], count: 256)),
            DeleteKeys([]), DeleteKeys([[1], [2, 3]]),
            SignMessage([3], contextString: [4, 5], with: [1, 2], context: context),
            SignMessage([], contextString: [], with: [], context: nil),
            SignMessage(
                [UInt8](repeating: 6, count: EnclaveLimits.messageByteCount),
                contextString: [UInt8](repeating: 7, count: 255), with: longBlob, context: nil),
            Decapsulate([UInt8](repeating: 3, count: 1088), with: [1, 2], context: nil),
            Decapsulate([UInt8](repeating: 3, count: 1568), with: longBlob, context: context),
        ]
        + NewEnclaveKey.allCases.flatMap { key in
            [MakeKey(key, under: control, context: nil), MakeKey(key, under: control, context: context)]
        }

    static let answers: [any EnclaveAnswer] =
        deviceAnswers + itemKeyAnswers + backupAnswers + escrowAnswers + contextAnswers + fingerAnswers + keyAnswers

    private static let deviceAnswers: [any EnclaveAnswer] = [
        Done(), status, fullStatus, EnclaveLoad(contexts: 3, cachedKeys: 258), PasscodeTryCost(seconds: 0.083),
        EnclaveRevision(isReplaced: false), EnclaveRevision(1, isReplaced: true),
        KeyEpoch(77),
    ]

    private static let itemKeyAnswers: [any EnclaveAnswer] =
        [
            Result<CreatedKey, KeyRefusal>.success(CreatedKey(key: key, wrapped: [1, 2, 3])),
            Result<[CreatedKey], KeyRefusal>
                .success([CreatedKey(key: key, wrapped: [1]), CreatedKey(key: key, wrapped: [2, 3])]),
            [KeyOutcome](),
            [.key(key), .refused(.locked), .key(key), .refused(.damaged), .refused(.classKeyMissing)] as [KeyOutcome],
            [.refused(.authenticationNeeded), .refused(.invalidated), .refused(.wrongApplicationPassword)]
                as [KeyOutcome],
            [.key(key), .refused(.locked), .key(key)] + keyRefusals.map { .refused($0) } as [KeyOutcome],
        ]
        + [Result<RewrappedKey, KeyRefusal>.success(RewrappedKey([UInt8](repeating: 2, count: 72)))]
        + keyRefusals.flatMap { refusal -> [any EnclaveAnswer] in
            [
                Result<CreatedKey, KeyRefusal>.failure(refusal), Result<[CreatedKey], KeyRefusal>.failure(refusal),
                Result<RewrappedKey, KeyRefusal>.failure(refusal),
            ]
        }

    private static let backupAnswers: [any EnclaveAnswer] =
        [
            Result<MadeBackupKeybag, KeyRefusal>.success(MadeBackupKeybag(keybag: [1, 2], keys: backupKeys)),
            OpenedBackupKeybag.keys(backupKeys), OpenedBackupKeybag.wrongPassword,
        ]
        + keyRefusals.flatMap { refusal -> [any EnclaveAnswer] in
            [Result<MadeBackupKeybag, KeyRefusal>.failure(refusal), OpenedBackupKeybag.refused(refusal)]
        }

    private static let escrowAnswers: [any EnclaveAnswer] = [
        MadeEscrow(keybag: hostKeybag, sealedKey: sealedEscrowKey), OpenedEscrow.opened(context), OpenedEscrow.over,
        OpenedEscrow.passcodeNeeded, OpenedEscrow.tooMany,
    ]

    private static let contextAnswers: [any EnclaveAnswer] =
        [
            ContextAnswer<Done>.known(Done()), ContextAnswer<Done>.unknown, ContextAnswer<Verdict>.unknown,
            ContextAnswer<MatchOutcome>.unknown, OpenedContext.opened(context), OpenedContext.tooMany,
            BoundAccessControl.bound(control), BoundAccessControl.notBound(nil),
        ]
        + ([.granted, .needs(.match), .needs([.match, .passcode]), .needs(.applicationPassword)] as [Verdict])
        .map { ContextAnswer<Verdict>.known($0) }
        + VerdictRule.allCases.flatMap { rule -> [any EnclaveAnswer] in
            [ContextAnswer<Verdict>.known(.refused(rule)), BoundAccessControl.notBound(rule)]
        } + outcomes.map { ContextAnswer<MatchOutcome>.known($0) }

    private static let fingerAnswers: [any EnclaveAnswer] =
        [
            FingersDone(), FingerRemoval.removed, EnrolmentEvent.stage(done: 3, total: 5), EnrolmentEvent.completed,
            EnrolmentEvent.duplicate, EnrolmentEvent.ended,
            BiometryStatus(survey: .noSensor, obstacle: .biometryNotAvailable, enrolmentSet: nil, missesLeft: 5),
            BiometryStatus(
                survey: SensorSurvey(
                    name: "Leser é", fingers: Finger.allCases, digest: Array(0..<32), seesTemplates: true),
                obstacle: nil, enrolmentSet: EnrolmentSet(Array(0..<16)), missesLeft: 2),
        ]
        + SensorObstacle.allCases.flatMap { obstacle -> [any EnclaveAnswer] in
            [FingerRemoval.failed(obstacle), EnrolmentEvent.failed(obstacle)]
        } + UnclearTouch.allCases.map { EnrolmentEvent.unclear($0) } + outcomes

    private static let keyAnswers: [any EnclaveAnswer] =
        [
            NewKeyAnswer.created(blob: longBlob, publicKey: [UInt8](repeating: 4, count: 65)),
            NewKeyAnswer.notBound(nil), NewKeyAnswer.notBound(.passcodeNotSet),
            SignatureAnswer.signed([UInt8](repeating: 1, count: 72)), SignatureAnswer.signed([]),
            SignatureAnswer.signed([UInt8](repeating: 1, count: 4627)), KeyExchangeAnswer.agreed(key),
            KeyExchangeAnswer.badInput(.p256), SignatureAnswer.lacks(proof(.needs([.match, .passcode]))),
            KeyExchangeAnswer.lacks(proof(.refused(.passcodeNotSet))), KeysDeleted(), [KeyDescription](),
            [KeyDescription](repeating: .gone(.damaged), count: 256),
            [
                .present(publicKey: [4, 5], accessControl: control), .gone(.deleted),
                .present(publicKey: [], accessControl: control),
            ] as [KeyDescription],
        ]
        + EnclaveKeyKind.allCases.flatMap { kind -> [any EnclaveAnswer] in
            let publicKey = [UInt8](repeating: 9, count: kind.publicKeyByteCount)
            return [
                SignatureAnswer.otherKind(kind), KeyExchangeAnswer.otherKind(kind),
                NewKeyAnswer.created(blob: longBlob, publicKey: publicKey),
                [KeyDescription.present(publicKey: publicKey, accessControl: control)],
            ]
        }
        + EnclaveKeyKind.allCases.filter { $0.ciphertextByteCount != nil }.map { KeyExchangeAnswer.badInput($0) }
        + keyRefusals.flatMap { refusal -> [any EnclaveAnswer] in
            [
                NewKeyAnswer.refused(refusal), SignatureAnswer.refused(refusal), KeyExchangeAnswer.refused(refusal),
                [KeyDescription.gone(refusal)],
            ]
        }

    private static func proof(_ verdict: Verdict) -> MissingProof {
        MissingProof(accessControl: control, verdict: verdict, context: context)
    }

    static let keyRefusals: [KeyRefusal] = [
        .locked, .classKeyMissing, .damaged, .authenticationNeeded, .invalidated, .wrongApplicationPassword, .deleted,
    ]

    private static let outcomes: [MatchOutcome] =
        [.matched(nil), .notMatched(missesLeft: 4), .notMatched(missesLeft: 0), .cancelled, .timedOut]
        + Finger.allCases.map { .matched($0) } + UnclearTouch.allCases.map { .unclear($0) }
        + VerdictRule.allCases.map { .refused($0) }

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

    static let refusals: [EnclaveRefusal] = [
        .wrongPasscode(attemptsLeft: 3), .sameWrongPasscode, .delayed(seconds: 59.5), .disabled, .erased,
        .passcodeNeeded, .passcodeAlreadySet, .noPasscodeSet, .badPasscode(reason: "kurz"), .storage(reason: "voll é"),
        .malformed(reason: ""),
    ]
}
