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
