import LatchkeyAccessControl
import LatchkeyBackupItems
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

/// An answer, or what is thrown in its place, with the question that it belongs to.
struct AnswerSample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let question: any KeychainQuestion.Type
    let encoded: WireMessage
    /// Returns true if the bytes are read as the value that was written.
    let isReadAsWritten: @Sendable () throws -> Bool

    init(
        _ description: String, _ question: any KeychainQuestion.Type, _ encoded: WireMessage,
        isReadAsWritten: @escaping @Sendable () throws -> Bool
    ) {
        testDescription = description
        self.question = question
        self.encoded = encoded
        self.isReadAsWritten = isReadAsWritten
    }

    init<Question: KeychainQuestion>(_ question: Question.Type, _ answer: Question.Answer)
    where Question.Answer: Equatable {
        testDescription = "\(answer)"
        self.question = question
        let encoded = MessageCoding.encode(answer, to: question)
        self.encoded = encoded
        isReadAsWritten = {
            try MessageCoding.decodeAnswer(to: question, body: encoded.body, secrets: encoded.secrets).get() == answer
        }
    }

    init<Question: KeychainQuestion>(_ question: Question.Type, throwing failure: Question.Failure)
    where Question.Failure: Equatable {
        testDescription = "\(failure)"
        self.question = question
        let encoded = MessageCoding.encode(failure)
        self.encoded = encoded
        isReadAsWritten = {
            let result = try MessageCoding.decodeAnswer(
                to: question, body: encoded.body, secrets: encoded.secrets)
            if case .failure(let read) = result { return read == failure }
            return false
        }
    }
}

extension MessageCoding {
    /// Reads bytes as the answer to a question.
    static func readAnswer(to question: any KeychainQuestion.Type, body: [UInt8]) throws {
        func read<Question: KeychainQuestion>(_ question: Question.Type) throws {
            _ = try decodeAnswer(to: question, body: body, secrets: [])
        }
        try read(question)
    }
}

extension Samples {
    static let answers: [AnswerSample] = deviceAnswers + syncAnswers

    private static let deviceAnswers: [AnswerSample] = [
        AnswerSample(TrustTeam.self, Done()), AnswerSample(Forwarded<SetPasscode>.self, Done()),
        AnswerSample(Forwarded<MeasurePasscodeCost>.self, PasscodeTryCost(seconds: 0.083)),
        AnswerSample(Forwarded<AskRevision>.self, EnclaveRevision(3, isReplaced: true)),
        AnswerSample(Forwarded<ContinueEnrolment>.self, .stage(done: 2, total: 5)),
        AnswerSample(Forwarded<RemoveFinger>.self, .removed),
        AnswerSample(Forwarded<RemoveFinger>.self, .failed(.busy)),
        AnswerSample(Forwarded<UnlockWithFinger>.self, .notMatched(missesLeft: 3)),
        AnswerSample(Forwarded<LockRemotely>.self, FingersDone()),
        AnswerSample(TrustTeam.self, throwing: .refused(.wrongPasscode(attemptsLeft: 4))),
        AnswerSample(TrustTeam.self, throwing: .refused(.delayed(seconds: 60))),
        AnswerSample(ListTeams.self, throwing: .refused(.storage(reason: "full"))),
        AnswerSample(
            ListTeams.self,
            throwing: .declined(.authFailed, Refusal(ruleName: Rule.teamOtherKey.rawValue, reason: "r", advice: "a"))),
        AnswerSample(ListTeams.self, []),
        AnswerSample(
            ListTeams.self,
            [
                TrustedTeam(key: key(1), name: "One", trusted: 700_000_000.5),
                TrustedTeam(key: key(2), name: "", trusted: 1, expires: 2.5, revoked: 3, isExpired: true),
            ]),
        AnswerSample(ListApplications.self, []),
        AnswerSample(
            ListApplications.self,
            [
                RegisteredApplication(
                    seen: SeenApplication(
                        application: "\(key(1).identifier).com.example.mail", team: key(1).identifier, level: .a,
                        accessGroups: ["b", "a", ""], digest: Array(0..<32), path: "/usr/bin/mäil"),
                    firstSeen: 700_000_000.5, lastSeen: 800_000_000, itemCount: 1 << 40),
                RegisteredApplication(
                    seen: SeenApplication(
                        application: "/bin/x", team: nil, level: .c, accessGroups: [], digest: [], path: "/bin/x"),
                    firstSeen: -1, lastSeen: 0, itemCount: 0),
            ]),
        AnswerSample(PinTeamAlias.self, StoredGroupCount(0)), AnswerSample(PinTeamAlias.self, StoredGroupCount(3)),
        AnswerSample(ForgetApplication.self, RemovedCount(0)), AnswerSample(RevokeTools.self, RemovedCount(12)),
        AnswerSample(DescribeOwnersTool.self, OwnersTool(isCaller: true, path: nil, formerHomes: [])),
        AnswerSample(
            DescribeOwnersTool.self,
            OwnersTool(
                isCaller: false, path: "/usr/lib/latchkey/latchkey",
                formerHomes: [
                    FormerHome(accessGroup: "unsigned.latchkey.0", path: "/hömé/latchkey", itemCount: 1 << 40),
                    FormerHome(accessGroup: "", path: nil, itemCount: 0),
                ])),
        AnswerSample(AdoptTool.self, Adoption()), AnswerSample(AdoptTool.self, adoption),
        AnswerSample(PreviewEndings.self, EndingPreview(counts: [:])),
        AnswerSample(PreviewEndings.self, EndingPreview(counts: ["app": 3, "späti": 1], unseenCount: 7)),
        AnswerSample(ListEndedItems.self, []),
        AnswerSample(
            ListEndedItems.self,
            EndReason.allCases.map { reason in
                EndedItem(
                    itemClass: "genp", accessGroup: "g", ending: Ending(reason, at: 1.5, isNoticedLater: true),
                    created: 0.25)
            }),
        AnswerSample(BeginBackup.self, BackupGrant(token: token, keybag: [1, 2])),
        AnswerSample(BeginRestore.self, BackupGrant(token: token, keybag: [])),
        AnswerSample(DescribeBackups.self, BackupSettings(keybag: [])),
        AnswerSample(DescribeBackups.self, BackupSettings(keybag: [1], lastBackup: 0.5)),
        AnswerSample(CreateEscrow.self, HostKeybag([1, 2])),
        AnswerSample(BeginHostBackup.self, BackupGrant(token: token, keybag: [1])),
        AnswerSample(BeginHostRestore.self, BackupGrant(token: token, keybag: [])),
        AnswerSample(RevokeEscrow.self, RemovedCount(3)), AnswerSample(ListEscrows.self, []),
        AnswerSample(
            ListEscrows.self, [EscrowRecord(identifier: token, hostName: "späti", created: 1.5)]),
        AnswerSample(SetBackupPassword.self, Done()), AnswerSample(EndBackup.self, Done()),
        AnswerSample(
            BackUpItems.self,
            BackedUpItems(items: sealedItems, leftOut: ["akpu": 2], next: ItemPlace(table: 1, row: 77))),
        AnswerSample(BackUpItems.self, BackedUpItems(items: [], leftOut: [:], next: nil)),
        AnswerSample(
            RestoreItems.self,
            RestoredItems(
                outcomes: RestoredItems.Outcome.allCases, groups: RestoredItems.Outcome.allCases.map { "\($0)" })),
        AnswerSample(PlanItems.self, []),
        AnswerSample(
            PlanItems.self,
            [
                ItemPlanRow(
                    accessGroup: "späti", itemClass: .genericPassword, accessible: .whenUnlocked,
                    verdict: .known(.anyDevice), count: 3),
                ItemPlanRow(
                    accessGroup: "g", itemClass: .key, accessible: .whenPasscodeSetThisDeviceOnly,
                    verdict: .known(.leftOut(.passcodeSet)), count: 1),
                ItemPlanRow(accessGroup: "g", itemClass: .key, accessible: nil, verdict: .locked, count: 1),
            ]),
        AnswerSample(
            DescribeDevice.self,
            DeviceStatus(
                enclave: status, kind: "daemon", directory: "/tmp/ünïcode", itemCounts: ["genp": 3, "inet": 0],
                quarantinedRows: 2, damageReport: "set aside", removesItemsOfForgottenApps: true, requiredLevel: .b,
                callerLevel: .a,
                endedItems: [
                    EndedItemCount(reason: .passcodeRemoved, count: 3, lastDate: 800_000_000.5),
                    EndedItemCount(reason: .keyDeleted, count: 1, lastDate: 0),
                ])),
        AnswerSample(
            DescribeDevice.self,
            DeviceStatus(
                enclave: status, kind: "embedded", directory: "/", itemCounts: [:], quarantinedRows: 0,
                damageReport: nil)),
        AnswerSample(ListRefusals.self, []),
        AnswerSample(
            ListRefusals.self,
            [
                RefusalRecord(
                    time: 789_012.5, caller: "/usr/bin/mail", application: nil, level: .c, operation: "find",
                    itemClass: "genp", accessGroup: "mail", lockState: "locked", code: .interactionNotAllowed,
                    refusal: Refusal(ruleName: Rule.classKeyLocked.rawValue, reason: "r", advice: "a")),
                RefusalRecord(
                    time: 0, caller: "mail", application: "ABCDEFGHIJ.org.example.mail", level: .a, operation: "add",
                    itemClass: "inet", accessGroup: "", lockState: "", code: .param,
                    refusal: Refusal(ruleName: "r", reason: "", advice: "")),
            ]),
    ]

    private static let adoption = {
        var adoption = Adoption()
        (adoption.moved, adoption.locked, adoption.guarded, adoption.duplicate, adoption.failed) = (1, 2, 3, 4, 5)
        return adoption
    }()
}
