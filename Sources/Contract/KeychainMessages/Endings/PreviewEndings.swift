/// The items that an act of the owner would end; asked before the act.
package struct PreviewEndings: ListedDeviceQuestion {
    package static let number: Int64 = 20
    package static let traits: KeychainTraits = .repeatable

    package let cause: EndingCause

    package init(_ cause: EndingCause) {
        self.cause = cause
    }

    package func write(to writer: inout FieldWriter) {
        writer.integer(cause.rawValue)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        try fields.checkNoSecrets("device request")
        guard let cause = EndingCause(rawValue: try fields.integer("cause")) else { throw .badField("cause") }
        self.init(cause)
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> EndingPreview {
        try device.answer(self)
    }
}

/// Something the owner does that ends items for good.
package enum EndingCause: Int64, Sendable, Hashable, CaseIterable {
    case passcodeRemoval = 1
    /// A finger is enrolled or removed.
    case fingerChange = 2
    case erasure = 3
}

/// The items that an act of the owner would end.
package struct EndingPreview: Sendable, Hashable {
    /// The number of items by access group.
    package let counts: [String: Int64]
    /// Items that a locked class keeps closed, so that the device cannot tell whether they would end.
    package let unseenCount: Int64

    package init(counts: [String: Int64], unseenCount: Int64 = 0) {
        self.counts = counts
        self.unseenCount = unseenCount
    }

    package var count: Int64 { counts.values.reduce(0, +) }
}

extension EndingPreview: KeychainAnswer {
    package static let replyNumber: Int64 = 20

    package func write(to writer: inout FieldWriter) {
        writer.counts(counts)
        writer.integer(unseenCount)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        counts = try fields.counts("counts")
        unseenCount = try fields.count("unseen items")
    }
}
