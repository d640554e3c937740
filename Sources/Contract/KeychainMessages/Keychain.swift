package import LatchkeyCodeSignature
package import LatchkeyItemModel

/// The caller, as the transport or the test identified it. The service relies on nothing else about a caller.
package struct Caller: Sendable, Hashable {
    /// The application identifier or the path of the executable, for texts.
    package let name: String
    /// The access groups in the order of the entitlements. The first is the default for an add.
    package var accessGroups: [String]
    /// True for `com.apple.private.keychain.deny`.
    package let isDenied: Bool
    /// True for an app clip: its only group is that of its application identifier, and it has no synchronizable items.
    package let isAppClip: Bool
    /// True if the caller may also use the groups that network extensions share.
    package let sharesNetworkExtensions: Bool
    /// True if the caller may supply the device's passcode for an evaluation in place of a prompt.
    package let mayGivePasscode: Bool
    /// `TEAM.bundle` from the signature; nil for an unsigned program.
    package let application: String?
    package let level: AssuranceLevel
    /// The process and the SHA-256 of its executable; nil if unknown.
    package let process: CallerProcess?
    /// The reason why the caller was given no groups; nil if it has groups, or asked for none.
    package let refusal: Refusal?
    /// True for the owner's tool, wherever its file is stored. A program cannot claim this of itself.
    package var isOwnersTool: Bool
    /// The former homes of the owner's tool. Of these groups, only the given items belong to the caller.
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

/// The calling process, for the audit log.
package struct CallerProcess: Sendable, Hashable {
    package let processID: Int32
    package let userID: UInt32
    /// The SHA-256 of the executable without its signature; nil if it was not computed.
    package let executableDigest: [UInt8]?

    package init(processID: Int32, userID: UInt32, executableDigest: [UInt8]?) {
        self.processID = processID
        self.userID = userID
        self.executableDigest = executableDigest
    }
}

/// A keychain with its device, for one caller: embedded in this process or behind a daemon's socket.
package protocol Keychain: Sendable {
    /// The same for values that lead to the same device for the same caller, as long as one of them lives.
    var identity: ObjectIdentifier { get }
    func perform(_ request: ItemRequest) -> ItemReply
    /// Asks the device a question. Throws the device's refusal.
    @discardableResult
    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer
    /// Asks about an enclave key. Blocks while the user is prompted.
    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer
    /// Asks about the keys of protected files.
    func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer
    /// Opens a new authentication context.
    func openSession() -> any AuthenticationSession
    /// Returns a watch that reports every lock and unlock from now on.
    func watchProtectedData() -> any ProtectedDataWatch
    /// Returns a watch on the items that this caller may read.
    func watchItems() -> any ItemWatch
}

extension Keychain where Self: AnyObject {
    package var identity: ObjectIdentifier { ObjectIdentifier(self) }
}

/// A session that is over.
package struct EndedSession: AuthenticationSession {
    package static let refusal = Refusal(.contextEnded)
    /// The session of a context that a parent of this process opened.
    package static let ofParent = EndedSession(Refusal(.processForked))

    private let reason: Refusal

    /// - Parameter reason: the refusal of every call.
    package init(_ reason: Refusal = EndedSession.refusal) {
        self.reason = reason
    }

    package func ask<Question: AuthenticationQuestion>(
        _ question: Question
    ) throws(AuthenticationRefusal) -> Question.Answer {
        throw AuthenticationRefusal(.invalidContext, reason)
    }

    package func perform(_ request: ItemRequest) -> ItemReply {
        ItemReply(code: .authFailed, refusal: reason)
    }

    package func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        throw EnclaveKeyRefusal(.authFailed, reason)
    }

    package func end() {}
}
