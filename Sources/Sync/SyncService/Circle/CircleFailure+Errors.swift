internal import Glibc
internal import LatchkeyEnclaveContract
internal import LatchkeyEncoding
internal import LatchkeyItemModel
internal import LatchkeyKeychainMessages
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncIdentity
internal import LatchkeySyncKeys
internal import LatchkeySyncStore

/// The failures of sync in the words of refusals.
extension CircleFailure {
    static let locked = CircleFailure(.interactionNotAllowed, Refusal(.syncNeedsUnlock))
    static let notAMember = CircleFailure(.syncNotAMember)
    static let alreadyMember = CircleFailure(.syncAlreadyMember)
    static let damaged = CircleFailure(.decode, Refusal(.syncCircleDamaged))

    /// The refusal of a question that an identity which waits to be admitted stands against.
    static func waiting(_ joining: PendingJoin, _ occasion: Rule.Occasion) -> CircleFailure {
        let device = Hexadecimal.text(joining.record.publicKeys.identifier.bytes)
        return CircleFailure(.notAvailable, Refusal(as: occasion, device))
    }

    static func code(_ reason: String, _ advice: String) -> CircleFailure {
        CircleFailure(.authFailed, Refusal(.syncCodeWrong, reason, advice))
    }

    init(servedStore store: String) {
        self.init(
            .syncStoreOther, store,
            "Name this store, or let root choose another one: latchkey-setup --store.")
    }

    init(_ failure: CodeFailure) {
        let what =
            switch failure {
            case .wrongLength(let found, let expected):
                "A code of this kind has \(expected) characters, and this one has \(found)."
            case .badCharacter(let position): "Character \(position) is not one of codes."
            case .wrongCheck: "At least one character of the code is wrong."
            }
        self = .code(what, "Type it again.")
    }

    init(_ failure: StoreFailure, _ store: StoreAddress) {
        switch failure {
        case .unreachable(let absence):
            self.init(.syncStoreUnreachable, store, failure.words, absence.advice)
        case .refused, .taken, .headReplaced, .unsuitable, .system:
            self.init(.syncStoreRefused, store, failure.words, store.advice)
        }
    }

    /// Words for any error of the functions of this module.
    init(_ error: any Error, _ store: StoreAddress? = nil) {
        switch error {
        case let failure as CircleFailure: self = failure
        case let failure as SyncFailure: self.init(failure)
        case let failure as StoreFailure:
            if let store { self.init(failure, store) } else { self.init(.syncRefused, failure.words) }
        case let failure as SigningFailure:
            if case .key(let key) = failure { self.init(key) } else { self.init(.syncRefused, "it cannot be signed") }
        case let failure as SyncKeyFailure: self.init(failure)
        case let failure as IdentityFailure: self.init(failure)
        case EpochFailure.missingKey, EpochFailure.missingCircleSecret: self = .locked
        case let refusal as EnclaveRefusal: self.init(refusal)
        case let failure as CallFailure:
            self.init(failure.code, failure.refusal ?? Refusal(.syncRefused, "the keychain cannot be read"))
        case is DamagedTable, is StatementFailure: self = .damaged
        default: self.init(.syncRefused, "\(type(of: error))")
        }
    }

    private init(_ failure: SyncFailure) {
        switch failure {
        case .alreadyInCircle: self = .alreadyMember
        case .notInCircle: self = .notAMember
        case .notAdmitted: self.init(.syncRemoved)
        case .locked: self = .locked
        case .tooManyStatements: self.init(.param, Refusal(.syncStatementLimit))
        case .refusedStatement(.circleFull):
            self.init(.param, Refusal(.syncMemberLimit, StatementLimits.members))
        case .refusedStatement(.unknownDevice), .refusedStatement(.deviceDeparted):
            self.init(.itemNotFound, Refusal(.syncUnknownDevice))
        case .refusedStatement(.removesItself): self.init(.param, Refusal(.syncRemovesItself))
        case .refusedStatement(let refusal): self.init(.syncRefused, "\(refusal)")
        }
    }

    private init(_ failure: SyncKeyFailure) {
        switch failure {
        case .locked: self = .locked
        case .passcodeNeeded: self.init(.authFailed, Refusal(.syncNeedsPasscode))
        case .gone: self.init(.syncNeedsPasscode)
        case .damaged: self = .damaged
        case .unavailable(let reason): self.init(.syncRefused, reason)
        }
    }

    private init(_ failure: IdentityFailure) {
        switch failure {
        case .passcodeNotSet: self.init(.syncNeedsPasscode)
        case .locked: self = .locked
        case .enclave(let refusal): self.init(refusal)
        case .unreadable: self = .damaged
        }
    }

    private init(_ refusal: EnclaveRefusal) {
        let words = Refusal(.ownerPasscodeRefused, PasscodeWords.reason(refusal), PasscodeWords.advice(refusal))
        self.init(.authFailed, words)
    }
}

extension StoreFailure {
    /// The failure as a part of a sentence.
    package var words: String {
        switch self {
        case .unreachable(.folderMissing): "the folder is not there"
        case .unreachable(.noAnswer): "it does not answer"
        case .unreachable(.noTransport): "latchkey-transport does not run"
        case .refused(.permission): "the permission is missing"
        case .refused(.readOnly): "it can only be read"
        case .refused(.quota): "the quota is used up"
        case .refused(.full): "it is full"
        case .refused(.obstructed): "something other than a folder or a file is in the place of one"
        case .refused(.untrusted): "the server's certificate cannot be trusted"
        case .refused(.credentials): "the server does not accept the certificate or the password of this device"
        case .taken, .headReplaced: "another device has written there under the name of this one"
        case .unsuitable: "an object is too large for it"
        case .system(let number): unsafe String(cString: strerror(number))
        }
    }
}

extension StoreAddress {
    /// The advice for a store that refuses.
    fileprivate var advice: String {
        switch place {
        case .folder: "Look at the folder: its owner, its mode and its free space."
        case .etcd: "Look at the server: its users, roles, certificates and quota. The transport's log has its words."
        }
    }
}

extension StoreFailure.Absence {
    fileprivate var advice: String {
        switch self {
        case .folderMissing: "Make the folder, or mount what has it."
        case .noAnswer: "Look at the file system or the server, or wait."
        case .noTransport: "Look at the log latchkey-transport.log in the directory run of the device."
        }
    }
}
