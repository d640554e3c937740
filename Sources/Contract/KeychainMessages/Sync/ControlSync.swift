package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Looks for what the other devices have written, and writes what this one has.
package struct ExchangeNow: SyncQuestion, BareKeychainQuestion {
    package static let number: Int64 = 65
    package static let name = "sync-now"
    package static let traits: KeychainTraits = [.changesDevice, .repeatable]

    package init() {}

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}

/// Lets the exchange rest, or ends that. A device that rests does not learn that it, or another one, was removed.
package struct PauseSync: SyncChange {
    package static let number: Int64 = 67
    package static let name = "sync-pause"

    package let pauses: Bool
    package let passcode: SecretBox?

    package init(_ pauses: Bool, passcode: SecretBox?) {
        self.pauses = pauses
        self.passcode = passcode
    }

    package var subject: String { pauses ? "on" : "off" }

    package func write(to writer: inout FieldWriter) {
        writer.boolean(pauses)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        pauses = try fields.boolean("pauses")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}

/// Goes on under new keys of the circle. Each time takes one of the statements that a device has.
package struct ChangeCircleKeys: SyncChange {
    package static let number: Int64 = 68
    package static let name = "sync-rekey"

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}

/// Lets the items of a group travel that is local by default, or ends that, on all devices.
package struct ShareGroup: SyncChange {
    package static let number: Int64 = 66
    package static let name = "sync-group"
    /// The length of a group that a circle can name.
    package static let groupByteLimit = 255

    package let group: String
    package let isShared: Bool
    package let passcode: SecretBox?

    package init(_ group: String, isShared: Bool, passcode: SecretBox?) {
        self.group = group
        self.isShared = isShared
        self.passcode = passcode
    }

    package var subject: String { group }

    package func write(to writer: inout FieldWriter) {
        writer.text(group)
        writer.boolean(isShared)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        group = try fields.text("group")
        guard (1...Self.groupByteLimit).contains(group.utf8.count) else { throw .badField("group") }
        isShared = try fields.boolean("shared")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}

/// Waits until the exchange of items has come further, or so many seconds.
package struct AwaitSync: SyncQuestion {
    package static let number: Int64 = 64
    package static let traits: KeychainTraits = .repeatable
    package static let secondLimit: Int64 = 20

    /// The progress that the caller knows: the answer comes when there is more, or at once if it is nil.
    package let known: Int64?
    /// 1 to ``secondLimit``.
    package let seconds: Int64

    package init(after known: Int64?, seconds: Int64 = secondLimit) {
        self.known = known
        self.seconds = seconds
    }

    package func write(to writer: inout FieldWriter) {
        writer.optionalInteger(known)
        writer.integer(seconds)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        known = try fields.optionalInteger("known")
        seconds = try fields.integer("seconds")
        guard (1...Self.secondLimit).contains(seconds) else { throw .badField("seconds") }
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> SyncProgress {
        try circle.answer(self)
    }
}

/// The point that the exchange of items has reached.
package struct SyncProgress: Sendable, Hashable {
    /// Grows with every change that another device made here, and with every one that this device has passed on.
    package let number: Int64
    /// The number of changes by other devices since the daemon started.
    package let remoteChanges: Int64
    /// True if nothing waits on this device: its changes are in the store, and what the store shows is applied.
    package let isSettled: Bool

    package init(number: Int64, remoteChanges: Int64, isSettled: Bool) {
        self.number = number
        self.remoteChanges = remoteChanges
        self.isSettled = isSettled
    }
}

extension SyncProgress: KeychainAnswer {
    package static let replyNumber: Int64 = 64

    package func write(to writer: inout FieldWriter) {
        writer.integer(number)
        writer.integer(remoteChanges)
        writer.boolean(isSettled)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        number = try fields.integer("progress")
        remoteChanges = try fields.integer("remote changes")
        isSettled = try fields.boolean("settled")
    }
}
