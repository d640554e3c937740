import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Messages of every shape.
enum Samples {
    static func secret(_ text: String) -> SecretBox { SecretBox(copying: Array(text.utf8)) }

    static let status = EnclaveStatus(
        lockState: .locked, hasPasscode: true, failedAttempts: 3, secondsUntilNextAttempt: 59.5, isDisabled: false,
        eraseAfterTenFailures: true, gracePeriodSeconds: 10.25, graceSecondsLeft: 1.125, keyEpoch: 1 << 50,
        rootOfTrust: "software", keybagUUID: Array(0..<16))

    static let find = ItemRequest(
        operation: .find,
        query: [
            QueryPair("class", .string("genp")), QueryPair("svce", .string("späť 🔑")),
            QueryPair("r_Data", .boolean(true)),
            QueryPair("m_Limit", .integer(-1)), QueryPair(key: .integer(7), value: .null),
            QueryPair("mdat", .date(123_456.75)), QueryPair("list", .array([.dictionary(["a": .data([1, 2])])])),
            QueryPair("accc", .reference(kind: "SecAccessControl", bytes: [9, 8])),
        ], wantsResult: true)

    static let requests: [ItemRequest] = [
        find,
        ItemRequest(
            operation: .add, query: [QueryPair("v_Data", .secret(0)), QueryPair("other", .array([.secret(1)]))],
            wantsResult: false, secrets: [secret("one"), secret("")]),
        ItemRequest(
            operation: .update, query: [QueryPair("class", .string("inet"))],
            changes: [QueryPair("v_Data", .secret(0)), QueryPair("labl", .null)], wantsResult: false,
            secrets: [secret("new")], owner: OwnerAuthority(accessGroup: "*", passcode: secret("1234"))),
        ItemRequest(
            operation: .delete, query: [], wantsResult: false,
            owner: OwnerAuthority(accessGroup: "group", passcode: secret(""))),
    ]

    static let replies: [ItemReply] = [
        ItemReply(code: .success),
        ItemReply(code: .success, result: .null, affectedRows: 12),
        ItemReply(
            code: .success, result: .array([.dictionary(["v_Data": .secret(1)]), .secret(0)]),
            secrets: [secret("a"), secret("bc")]),
        ItemReply(
            code: .interactionNotAllowed,
            refusal: Refusal(
                ruleName: Rule.classKeyLocked.rawValue, reason: "The device is locked.", advice: "Unlock it.")),
        ItemReply(code: ResultCode(rawValue: .min), result: .dictionary([:])),
    ]

    static let deviceRequests: [any DeviceQuestion] =
        forwardedQuestions + listedQuestions + [DescribeDevice(), ListRefusals(limit: 20)]

    private static let passedOn: [any ForwardedQuestion] = [
        SetPasscode(secret("new")), ChangePasscode(from: secret("old"), to: secret("new")),
        RemovePasscode(secret("old")), UnlockDevice(secret("1234")), LockDevice(immediately: true),
        LockDevice(immediately: false), EraseDevice(passcode: nil), EraseDevice(passcode: secret("1234")),
        ConfigureDevice(passcode: nil),
        ConfigureDevice(passcode: secret("1234"), eraseAfterTenFailures: true, gracePeriodSeconds: 0.1),
        ConfigureDevice(passcode: secret("1234"), lockAfterSeconds: 300), MeasurePasscodeCost(), AskRevision(),
        AskBiometry(),
        BeginEnrolment(of: .leftIndex, passcode: secret("1234")), ContinueEnrolment(), CancelEnrolment(),
        RemoveFinger(.leftIndex, passcode: secret("1234")), RemoveFinger(nil, passcode: secret("1234")),
        UnlockWithFinger(seconds: 30), CancelUnlock(), LockRemotely(),
    ]

    static let forwardedQuestions: [any DeviceQuestion] = passedOn.map { question in
        func forwarded(_ question: some ForwardedQuestion) -> any DeviceQuestion { Forwarded(question) }
        return forwarded(question)
    }

    static let listedQuestions: [any ListedDeviceQuestion] =
        [
            TrustTeam(key: key(1), name: "Späti Software", expires: nil, passcode: nil),
            TrustTeam(key: key(2), name: "n", expires: 800_000_000.25, passcode: secret("1234")),
            RevokeTeam(key(1).identifier, passcode: nil), RevokeTeam(key(1).identifier, passcode: secret("")),
            PinTeamAlias(alias, to: key(1).identifier, passcode: nil),
            PinTeamAlias(alias, to: key(1).identifier, passcode: secret("1234")),
            RemoveTeamAlias(alias, of: key(1).identifier, passcode: secret("")), ListTeamAliases(),
            ListTeams(), ListApplications(), ForgetApplication("TEAM.app", removesItems: nil, passcode: nil),
            ForgetApplication("/opt/äpp", removesItems: true, passcode: secret("1234")),
            ForgetApplication("", removesItems: false, passcode: nil),
            ConfigureApplications(removesItems: true, passcode: nil),
            RequireLevel(.a, passcode: nil), RequireLevel(.b, passcode: secret("1234")),
            ConfigureApplications(removesItems: false, passcode: secret("1234")),
            DescribeOwnersTool(), AdoptTool(passcode: nil), AdoptTool(passcode: secret("1234")),
            RevokeTools(passcode: nil), RevokeTools(passcode: secret("1234")),
            PreviewEndings(.passcodeRemoval), PreviewEndings(.fingerChange), PreviewEndings(.erasure),
            ListEndedItems(limit: 0), ListEndedItems(limit: 4096),
        ] + backupQuestions + syncQuestions

    static let token = [UInt8](repeating: 7, count: 16)

    static let sealedItems = [
        SealedItem(itemClass: "genp", blob: [1, 2, 3], reference: [4]),
        SealedItem(
            itemClass: "keys", blob: [UInt8](repeating: 5, count: SealedItem.bodyByteLimit + 1), reference: []),
    ]

    private static let backupQuestions: [any ListedDeviceQuestion] = {
        let key = SecretBox(copying: [UInt8](repeating: 9, count: 32))
        let round = BackupPasswordParameters.Round(salt: [UInt8](repeating: 1, count: 20), iterations: 10_000)
        let passwords = [nil, round].compactMap { first in
            BackupPasswordParameters(first: first, second: round).map { BackupPassword($0, key: key) }
        }
        return passwords.flatMap { password -> [any ListedDeviceQuestion] in
            [
                BeginBackup(.unencrypted(password), passcode: secret("1234")),
                SetBackupPassword(current: nil, new: password, passcode: secret("1234")),
                SetBackupPassword(current: key, new: password, passcode: nil),
            ]
        } + [
            BeginBackup(.encrypted, passcode: nil), SetBackupPassword(current: key, new: nil, passcode: secret("1")),
            DescribeBackups(), BackUpItems(token, after: nil),
            BackUpItems(token, after: ItemPlace(table: 3, row: .max)),
            CreateBackupFileKeys(token, classNumbers: [1, 2, 3, 4]),
            OpenBackupFileKeys(token, [BackupFileKey(classNumber: 4, wrapped: [1])]), OpenBackupFileKeys(token, []),
            RestoreItems(token, isDryRun: true, []), RestoreItems(token, isDryRun: false, sealedItems, groups: []),
            PlanItems(),
            RestoreItems(token, isDryRun: false, sealedItems, groups: ["g", "späti"]),
            EndBackup(token), EndBackup(token, isComplete: true),
            CreateEscrow(hostName: "hömé", passcode: secret("1234")), CreateEscrow(hostName: "h", passcode: nil),
            ListEscrows(), RevokeEscrow(nil), RevokeEscrow(token), BeginHostBackup(HostKeybag([1, 2])),
        ]
            + RestorePolicy.allCases.map {
                BeginHostRestore(HostKeybag([1]), keybag: [2, 3], passwordKey: key, policy: $0)
            }
            + RestorePolicy.allCases.map {
                BeginRestore(keybag: [1, 2], passwordKey: key, policy: $0, passcode: secret("1234"))
            }
    }()

    /// Has the form of a key; no signature is ever checked with it.
    static let alias: TeamAlias = {
        guard let alias = TeamAlias("A1B2C3D4E5") else { preconditionFailure("it is an alias") }
        return alias
    }()

    static func key(_ byte: UInt8) -> TeamPublicKey {
        guard let key = TeamPublicKey([4] + [UInt8](repeating: byte, count: 64)) else {
            preconditionFailure("65 bytes that begin with 4 have the form of a key")
        }
        return key
    }
}
