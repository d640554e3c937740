import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// Messages about a circle, of every shape.
extension Samples {
    static let store = StoreAddress(folder: "/srv/späti")!
    /// A path that makes the longest text of a store.
    static let longestStore = StoreAddress(
        folder: "/" + String(repeating: "s", count: StoreAddress.byteLimit - "folder:/".utf8.count))!
    static let servers = StoreAddress(
        "etcd:https://a:2379,https://[::1]:1;ca=/c;certificate=/d;key=/e f;user=ä;password-file=/g")!
    static let member = [UInt8](100..<116)
    static let fingerprint = FingerprintText("0123-4567-89AB-CDEF-GHJK-MNPQ-RS")!
    static let longestName = String(repeating: "n", count: CircleDevice.nameByteLimit)

    static let syncQuestions: [any ListedDeviceQuestion] =
        [nil, secret("1234")].flatMap { passcode -> [any ListedDeviceQuestion] in
            [
                CreateCircle(store: store, deviceName: "hömé", passcode: passcode),
                JoinCircle(store: longestStore, deviceName: longestName, code: secret("CODE"), passcode: passcode),
                CreateCircle(store: servers, deviceName: "n", passcode: passcode),
                ReadInvitation(store: store, deviceName: longestName, code: secret("CODE"), passcode: passcode),
                RecoverCircle(store: store, deviceName: "n", code: secret(""), passcode: passcode),
                AskToJoin(store: store, deviceName: "hömé", member: fingerprint, passcode: passcode),
                ApproveDevice(member, passcode: passcode),
                ApproveDevice(member, fingerprint: fingerprint, passcode: passcode),
                RemoveDevice(member, deletesItems: passcode == nil, passcode: passcode),
                LeaveCircle(deletesItems: true, isForced: passcode == nil, passcode: passcode),
                LeaveCircle(deletesItems: false, isForced: passcode != nil, passcode: passcode),
                InviteDevice(passcode: passcode), CancelInvitation(passcode: passcode),
                PauseSync(passcode == nil, passcode: passcode),
                MoveCircle(to: longestStore, passcode: passcode), DeleteCircle(passcode: passcode),
                RepairDevice(code: nil, passcode: passcode), RepairDevice(code: secret("CODE"), passcode: passcode),
                ReplaceRecoveryCode(passcode: passcode), ChangeCircleKeys(passcode: passcode),
                ListConflicts(passcode: passcode), RestoreConflict(passcode == nil ? -1 : .max, passcode: passcode),
                ShareGroup("unsigned.mail.1000", isShared: passcode == nil, passcode: passcode),
                ShareGroup(
                    String(repeating: "g", count: ShareGroup.groupByteLimit), isShared: true, passcode: passcode),
            ]
        } + [
            ExchangeNow(), ListJoinRequests(), ListJoinRequests(fingerprint), DescribeCircle(), AwaitSync(after: nil),
            AwaitSync(after: 7, seconds: 1),
        ]

    static let circleReport: CircleReport = {
        var report = CircleReport()
        report.membership = .member
        report.circle = [UInt8](0..<16)
        report.device = member
        report.store = store
        report.isPaused = true
        report.isJoining = true
        report.storeTrouble = "it is full"
        report.lastExchange = WallTime(microsecondsSince2001: 800_000_000_000_001)
        (report.waitingChanges, report.waitingObjects, report.conflicts, report.sharedItems) = (1, 2, 3, 1 << 40)
        report.localItems = ["protectionClass": 1, "group": 2]
        report.invitationExpires = WallTime(microsecondsSince2001: -1)
        report.alarms =
            [CircleAlarm(.identityDuplicated, nil)] + CircleAlarm.Kind.allCases.map { CircleAlarm($0, member) }
        report.devices = [
            CircleDevice(
                identifier: member, isSelf: true, isMember: true, deviceName: "hömé", system: "Linux 6",
                admitted: WallTime(microsecondsSince2001: 1), admittedBy: nil, isRecovered: false,
                lastHead: WallTime(microsecondsSince2001: 2), lacks: 0, missing: 0),
            CircleDevice(
                identifier: [UInt8](0..<16), isSelf: false, isMember: false, deviceName: nil, system: nil,
                admitted: nil, admittedBy: member, isRecovered: true,
                departed: WallTime(microsecondsSince2001: 3), departedBy: member, lastHead: nil, lacks: 3, missing: 4),
        ]
        report.fingerprint = fingerprint
        (report.asking, report.approver) = (member, [UInt8](0..<16))
        report.allowedGroups = ["unsigned.mail.1000", "späti"]
        return report
    }()

    private static let conflicts = [ConflictReport.Reason.overruled, .deleted, .joined, .replaced].map { reason in
        ConflictReport(
            number: 3, itemClass: "genp", group: "group.späti", reason: reason,
            kept: WallTime(microsecondsSince2001: 5), attributes: ["acct": "bób", "svce": ""],
            modified: reason == .deleted ? nil : WallTime(microsecondsSince2001: 6),
            device: reason == .joined ? nil : member)
    }

    static let syncAnswers: [AnswerSample] =
        CircleReport.Membership.allCases.map { membership in
            var report = CircleReport()
            report.membership = membership
            return AnswerSample(DescribeCircle.self, report)
        } + [
            AnswerSample(DescribeCircle.self, circleReport),
            AnswerSample(rewritten: CreateCircle.self, NewRecoveryCode(secret("AAAA-BBBB"))),
            AnswerSample(rewritten: ReplaceRecoveryCode.self, NewRecoveryCode(secret(""))),
            AnswerSample(
                rewritten: InviteDevice.self,
                NewInvitation(secret("CODE"), expires: WallTime(microsecondsSince2001: 7))),
            AnswerSample(CancelInvitation.self, RemovedCount(1)), AnswerSample(JoinCircle.self, Done()),
            AnswerSample(ReadInvitation.self, InvitedCircle(allowedGroups: nil)),
            AnswerSample(ReadInvitation.self, InvitedCircle(allowedGroups: [])),
            AnswerSample(ReadInvitation.self, InvitedCircle(allowedGroups: ["org.latchkey.owner", "ä"])),
            AnswerSample(ListJoinRequests.self, []),
            AnswerSample(
                ListJoinRequests.self,
                [
                    WaitingDevice(
                        identifier: member, fingerprint: fingerprint, description: .init(name: "späti", system: "")),
                    WaitingDevice(identifier: member, fingerprint: fingerprint, description: nil),
                ]),
            AnswerSample(AskToJoin.self, Done()),
            AnswerSample(
                rewritten: RemoveDevice.self, RemovedDevice(recoveryCode: secret("CODE"), readableItems: ["g": 7])),
            AnswerSample(rewritten: RemoveDevice.self, RemovedDevice(recoveryCode: nil, readableItems: [:])),
            AnswerSample(ListConflicts.self, []), AnswerSample(ListConflicts.self, conflicts),
            AnswerSample(AwaitSync.self, SyncProgress(number: 1 << 40, remoteChanges: 3, isSettled: false)),
            AnswerSample(ShareGroup.self, GroupSharing(true)), AnswerSample(ShareGroup.self, GroupSharing(false)),
            AnswerSample(
                ShareGroup.self,
                throwing: .declined(
                    .notAvailable, Refusal(ruleName: Rule.syncNotAMember.rawValue, reason: "r", advice: "a"))),
        ]
}

extension AnswerSample {
    /// An answer with secrets, which are compared as they are written.
    fileprivate init<Question: KeychainQuestion>(rewritten question: Question.Type, _ answer: Question.Answer) {
        let encoded = MessageCoding.encode(answer, to: question)
        self.init("\(question)", question, encoded) {
            let copy = try MessageCoding.decodeAnswer(to: question, body: encoded.body, secrets: encoded.secrets).get()
            let again = MessageCoding.encode(copy, to: question)
            return again.body == encoded.body && again.secretTexts == encoded.secretTexts
        }
    }
}

extension WireMessage {
    fileprivate var secretTexts: [[UInt8]] { secrets.map { secret in secret.withBytes { Array($0) } } }
}
