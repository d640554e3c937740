import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

@Suite("Each number names one question, and each question has a number")
struct QuestionTableTests {
    @Test("questions about the device are the numbers of Docs/Formats/socket.md")
    func deviceNumbers() {
        #expect(
            DeviceQuestions.listed.map { $0.number }.sorted() == Array(1...13) + [20, 21] + Array(30...44)
                + Array(50...72))
    }

    @Test("every question of the table is among the samples, and every sample is in the table")
    func deviceQuestions() {
        let samples = Samples.listedQuestions.map { ObjectIdentifier(type(of: $0)) }
        #expect(Set(samples) == Set(DeviceQuestions.listed.map { ObjectIdentifier($0) }))
    }

    @Test("every question that is passed on is among the samples, and every sample is in the table")
    func forwardedQuestions() {
        func type<Question: ForwardedQuestion>(_ question: Question.Type) -> ObjectIdentifier {
            ObjectIdentifier(Forwarded<Question>.self)
        }
        let samples = Samples.forwardedQuestions.map { ObjectIdentifier(Swift.type(of: $0)) }
        #expect(Set(samples) == Set(ForwardedQuestions.all.map { type($0) }))
    }

    @Test("a question is read as one of its own type", arguments: Samples.deviceRequests.indices)
    func types(index: Int) throws {
        let question = Samples.deviceRequests[index]
        let message = MessageCoding.encode(question)
        guard case .device(let copy) = try MessageCoding.decodeRequest(body: message.body, secrets: message.secrets)
        else {
            Issue.record("read as another kind of message")
            return
        }
        #expect(type(of: copy) == type(of: question))
    }

    /// Client and daemon act by these traits: a question that loses one fails open.
    private static let ownersAlone: [any DeviceQuestion.Type] = [
        TrustTeam.self, RevokeTeam.self, PinTeamAlias.self, RemoveTeamAlias.self, ForgetApplication.self,
        ConfigureApplications.self, RequireLevel.self,
        RevokeTools.self, SetBackupPassword.self, BeginRestore.self, CreateEscrow.self, CreateCircle.self,
        ReadInvitation.self, JoinCircle.self, AskToJoin.self, ApproveDevice.self, RemoveDevice.self, LeaveCircle.self,
        RecoverCircle.self,
        ReplaceRecoveryCode.self, ShareGroup.self, RestoreConflict.self, ChangeCircleKeys.self,
        InviteDevice.self, CancelInvitation.self, PauseSync.self, RepairDevice.self,
        MoveCircle.self, DeleteCircle.self,
    ]
    private static let questions: [any DeviceQuestion.Type] = [
        DescribeDevice.self, ListRefusals.self, ListTeams.self, ListTeamAliases.self, ListApplications.self,
        DescribeOwnersTool.self,
        PreviewEndings.self, ListEndedItems.self, DescribeBackups.self, BackUpItems.self, CreateBackupFileKeys.self,
        OpenBackupFileKeys.self, PlanItems.self, EndBackup.self, ListEscrows.self, ListJoinRequests.self,
        DescribeCircle.self, AwaitSync.self,
    ]

    @Test("each question about teams, apps and tools has exactly these traits") func listedTraits() {
        for question in Self.ownersAlone {
            #expect(question.traits == [.ownersAlone, .changesDevice, .audited], "\(question)")
        }
        for question in Self.questions { #expect(question.traits == .repeatable, "\(question)") }
        #expect(AdoptTool.traits == [.dependsOnPasscode, .changesDevice, .audited])
        // A backup changes nothing, and is the owner's all the same.
        #expect(BeginBackup.traits == [.ownersAlone, .audited])
        #expect(ListConflicts.traits == [.ownersAlone, .audited])
        #expect(BeginHostBackup.traits == .audited)
        let changes: [any DeviceQuestion.Type] = [
            RestoreItems.self, RevokeEscrow.self, BeginHostRestore.self, ExchangeNow.self,
        ]
        for question in changes { #expect(question.traits == [.changesDevice, .audited], "\(question)") }
        let others: [any DeviceQuestion.Type] = [
            AdoptTool.self, BeginBackup.self, BeginHostBackup.self, ListConflicts.self,
        ]
        let known = (Self.ownersAlone + Self.questions + changes + others).map { ObjectIdentifier($0) }
        #expect(DeviceQuestions.listed.allSatisfy { known.contains(ObjectIdentifier($0)) })
    }

    private static let forwarded: [String: (KeychainTraits, String)] = [
        "SetPasscode": ([.ownersAlone, .changesDevice, .audited, .startsTimes, .setsPasscode], "set-passcode"),
        "ChangePasscode": ([.dependsOnPasscode, .changesDevice, .audited, .endsEscrows], "change-passcode"),
        "RemovePasscode": (
            [.dependsOnPasscode, .changesDevice, .audited, .removesPasscode, .endsEscrows], "remove-passcode"
        ),
        "UnlockDevice": ([.audited, .startsTimes], "unlock"),
        "LockDevice": ([.repeatable, .audited, .startsTimes], "lock"),
        "EraseDevice": ([.ownersAlone, .changesDevice, .audited, .erases], "erase"),
        "ConfigureDevice": ([.ownersAlone, .changesDevice, .audited, .startsTimes], "configure"),
        "MeasurePasscodeCost": (.repeatable, ""), "AskRevision": (.repeatable, ""), "AskBiometry": ([], ""),
        "BeginEnrolment": ([.changesDevice, .audited], "enrol-finger"), "ContinueEnrolment": (.changesDevice, ""),
        "CancelEnrolment": (.changesDevice, ""), "RemoveFinger": ([.changesDevice, .audited], "remove-finger"),
        "UnlockWithFinger": ([.changesDevice, .audited, .startsTimes], "unlock-with-finger"),
        "CancelUnlock": (.changesDevice, ""),
        "LockRemotely": ([.changesDevice, .audited, .startsTimes], "lock-remotely"),
    ]

    @Test("each question that is passed on has exactly these traits") func forwardedTraits() throws {
        for question in ForwardedQuestions.all {
            let (traits, name) = try #require(Self.forwarded["\(question)"], "\(question)")
            #expect(question.keychainTraits == traits, "\(question)")
            #expect(question.auditedName == name, "\(question)")
        }
    }

    @Test("these questions have a part in a change of fingers, and end it with these answers") func fingerChanges() {
        let parts = ForwardedQuestions.all.filter { $0.fingerChange != .none }.map { "\($0) \($0.fingerChange)" }
        #expect(Set(parts) == ["BeginEnrolment begins", "ContinueEnrolment ends", "RemoveFinger beginsAndEnds"])
        #expect(ContinueEnrolment.changesFingers(.completed) && !ContinueEnrolment.changesFingers(.duplicate))
        #expect(RemoveFinger.changesFingers(.removed) && !RemoveFinger.changesFingers(.failed(.none)))
        #expect(!BeginEnrolment.changesFingers(FingersDone()))
    }

    @Test("questions about keys are the numbers of Docs/Formats/socket.md, each of a sample") func keyNumbers() {
        #expect(KeyQuestions.all.flatMap { $0.numbers }.sorted() == Array(1...7))
        let samples = Samples.keyQuestions.map { ObjectIdentifier(type(of: $0)) }
        #expect(Set(samples) == Set(KeyQuestions.all.map { ObjectIdentifier($0) }))
        for question in Samples.keyQuestions { #expect(type(of: question).numbers.contains(question.number)) }
    }

    private static let keys: [String: (KeychainTraits, String)] = [
        "CreateEnclaveKey": ([.changesDevice, .asksPerson, .audited], "key-create"),
        "DescribeEnclaveKey": ([.repeatable, .audited], "key-describe"),
        "SignWithKey": ([.asksPerson, .audited], "sign"),
        "SignMessageWithKey": ([.asksPerson, .audited], "sign-message"),
        "AgreeWithKey": ([.asksPerson, .audited], "agree"),
        "DecapsulateWithKey": ([.asksPerson, .audited], "decapsulate"),
    ]

    @Test("each question about keys has exactly these traits and this name") func keyTraits() throws {
        for question in KeyQuestions.all {
            let (traits, name) = try #require(Self.keys["\(question)"], "\(question)")
            #expect(question.traits == traits, "\(question)")
            #expect(question.name == name, "\(question)")
        }
    }

    @Test("questions about the keys of files are the numbers of Docs/Formats/socket.md, and among the samples")
    func fileKeys() {
        #expect(FileKeyQuestions.all.map { $0.number } == Array(1...3))
        #expect(FileKeyQuestions.all.map { $0.name } == ["file-key-create", "file-key-open", "file-key-rewrap"])
        #expect(FileKeyQuestions.all.allSatisfy { $0.traits == [.repeatable, .audited] })
        let samples = Samples.fileKeyQuestions.map { ObjectIdentifier(type(of: $0)) }
        #expect(Set(samples) == Set(FileKeyQuestions.all.map { ObjectIdentifier($0) }))
    }

    @Test("a question about keys may prompt unless it never does, or its program forbids it") func prompts() {
        for question in Samples.keyQuestions {
            let isSilent = question is DescribeEnclaveKey || question.interaction?.isAllowed == false
            #expect(question.mayAskPerson == !isSilent, "\(type(of: question))")
        }
    }

    @Test("what changes the device is the owner's or on record, and is never repeated")
    func traits() {
        for question in DeviceQuestions.listed where question.traits.contains(.changesDevice) {
            #expect(!question.traits.contains(.repeatable), "\(question)")
            #expect(question.traits.contains(.audited) && !question.name.isEmpty, "\(question)")
        }
    }

    @Test("questions of an LAContext are the numbers of Docs/Formats/socket.md, and among the samples")
    func authentication() {
        #expect(AuthenticationQuestions.all.map { $0.number } == Array(1...6))
        let samples = Samples.authenticationQuestions.map { ObjectIdentifier(type(of: $0)) }
        #expect(Set(samples) == Set(AuthenticationQuestions.all.map { ObjectIdentifier($0) }))
    }

    private static let authenticationTraits: [String: KeychainTraits] = [
        "CheckPolicy": .anyContext, "EvaluatePolicy": [.asksPerson, .audited],
        "EvaluateAccessControl": [.asksPerson, .audited], "SetContextPassword": [], "SetContextPasscode": [],
        "DescribeBiometry": .anyContext,
    ]

    @Test("each question of an LAContext has exactly these traits") func authenticationTraits() {
        for question in AuthenticationQuestions.all {
            #expect(question.traits == Self.authenticationTraits["\(question)"], "\(question)")
            #expect(question.name.isEmpty != question.traits.contains(.audited), "\(question)")
        }
    }

    @Test("questions of an agent are the numbers of Docs/Formats/socket.md, and among the samples")
    func agents() {
        #expect(AgentQuestions.all.map { $0.number } == Array(1...4))
        #expect(AgentQuestions.all.allSatisfy { $0.traits.isEmpty })
        let samples = Samples.agentQuestions.map { ObjectIdentifier(type(of: $0)) }
        #expect(Set(samples) == Set(AgentQuestions.all.map { ObjectIdentifier($0) }))
    }
}
