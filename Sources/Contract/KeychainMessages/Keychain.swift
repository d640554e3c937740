package import LatchkeyCodeSignature
package import LatchkeyItemModel

/// Who makes a call, as the transport or the test found out. The service believes nothing else.
package struct Caller: Sendable, Hashable {
    /// For people: application identifier or executable.
    package let name: String
    /// In the order of the entitlements; the first is the default of an add.
    package var accessGroups: [String]
    /// True for `com.apple.private.keychain.deny`.
    package let isDenied: Bool
    /// An app clip: it has its application identifier's group only, and no synchronizable items.
    package let isAppClip: Bool
    /// May also touch the groups that network extensions share.
    package let sharesNetworkExtensions: Bool
    /// May give the device's passcode for an evaluation in place of a prompt.
    package let mayGivePasscode: Bool
    /// `TEAM.bundle` of its signature; nil for an unsigned program.
    package let application: String?
    package let level: AssuranceLevel
    /// The process and the SHA-256 of its program, where they are known.
    package let process: CallerProcess?
    /// Why it has no groups, where that is not because it names none.
    package let refusal: Refusal?
    /// True for the tool of the device's owner, wherever its file lies. Nothing that a program says makes it so.
    package var isOwnersTool: Bool
    /// Groups of which only these items are the caller's: former homes of the owner's tool.
    package var adoptedItems: [String: AdoptedItems] = [:]

    package init(
        name: String, accessGroups: [String], isDenied: Bool = false, isAppClip: Bool = false,
        sharesNetworkExtensions: Bool = false, mayGivePasscode: Bool = false, application: String? = nil,
        level: AssuranceLevel = .c,
        process: CallerProcess? = nil, refusal: Refusal? = nil, isOwnersTool: Bool = false
    ) {
        self.name = name
        self.accessGroups = accessGroups
        self.isDenied = isDenied
        self.isAppClip = isAppClip
        self.sharesNetworkExtensions = sharesNetworkExtensions
        self.mayGivePasscode = mayGivePasscode
        self.application = application
        self.level = level
        self.process = process
        self.refusal = refusal
        self.isOwnersTool = isOwnersTool
    }

    package var team: TeamIdentifier? {
        application.flatMap { TeamIdentifier(String($0.prefix(TeamIdentifier.characterCount))) }
    }
}

/// The process that calls, for the audit log.
package struct CallerProcess: Sendable, Hashable {
    package let processID: Int32
    package let userID: UInt32
    /// Of the executable without its signature; nil where nobody looked.
    package let executableDigest: [UInt8]?

    package init(processID: Int32, userID: UInt32, executableDigest: [UInt8]?) {
        self.processID = processID
        self.userID = userID
        self.executableDigest = executableDigest
    }
}

/// A keychain with its device, for one caller: embedded in this process or behind a daemon's socket.
package protocol Keychain: Sendable {
    func perform(_ request: ItemRequest) -> ItemReply
    /// What the device refuses is thrown.
    @discardableResult
    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer
    /// Blocks as long as a person is asked.
    func perform(_ request: KeyRequest) -> KeyReply
    /// A new authentication context.
    func openSession() -> any AuthenticationSession
    /// Tells of every lock and unlock from now on.
    func watchProtectedData() -> any ProtectedDataWatch
}

/// A session that is over.
package struct EndedSession: AuthenticationSession {
    package static let refusal = Refusal(
        rule: .contextEnded, reason: "The authentication context is no longer valid.",
        advice: "Make a new LAContext for each thing that a person is asked for.")

    package init() {}

    package func perform(_ request: AuthenticationRequest) -> AuthenticationReply {
        .failed(.invalidContext, Self.refusal)
    }

    package func perform(_ request: ItemRequest) -> ItemReply {
        ItemReply(code: .authFailed, refusal: Self.refusal)
    }

    package func perform(_ request: KeyRequest) -> KeyReply {
        .failed(.authFailed, Self.refusal)
    }

    package func end() {}
}
