package import LatchkeySyncCore

/// The subject of ``ExchangeName``. It has no values.
package enum ExchangeSubject {}

/// The name of an invitation or a request, which both sides derive from the code that the user types.
package typealias ExchangeName = Identifier<ExchangeSubject>

/// The name of an object in a store.
package enum StoreObjectName: Hashable, Sendable {
    case statement(ObjectHash)
    /// The only object that is replaced.
    case head(DeviceIdentifier)
    /// A second head of a device, which a synchronizing program set aside when it found two. Stores list and read these; they are written
    /// by such programs alone.
    case headCopy(DeviceIdentifier, ConflictTag)
    case exchange(ExchangeName)
    case evidence(ObjectHash)
    /// - Parameter number: from 1.
    case segment(Dot)
    /// - Parameter part: from 0, less than ``StoreLimits/snapshotParts``.
    case snapshotPart(DeviceIdentifier, number: UInt64, part: UInt16)

    /// The device that writes the object. Nil for objects that any member writes.
    package var writer: DeviceIdentifier? {
        switch self {
        case .head(let device), .headCopy(let device, _), .snapshotPart(let device, _, _): device
        case .segment(let dot): dot.stream.device
        case .statement, .exchange, .evidence: nil
        }
    }

    /// The kinds of objects that belong under the name.
    package var kinds: [ObjectKind] {
        switch self {
        case .statement: [.statement]
        case .head, .headCopy: [.head]
        case .exchange: [.invitation, .joinRequest]
        case .evidence: [.evidence]
        case .segment: [.segment]
        case .snapshotPart: [.snapshotPart]
        }
    }

    /// The greatest number of bytes of the object. Longer ones are not read.
    package var byteLimit: Int { kinds.map(\.byteLimit).max() ?? 0 }

    /// The prefix under which the object is listed.
    package var prefix: ObjectPrefix {
        switch self {
        case .statement: .statements
        case .head, .headCopy: .heads
        case .exchange: .exchanges
        case .evidence: .evidence
        case .segment(let dot): .segments(dot.stream)
        case .snapshotPart(let device, _, _): .snapshots(device)
        }
    }
}

extension StoreObjectName: Comparable {
    /// Objects of a prefix are ordered by their names; segments by their numbers.
    package static func < (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.statement(let left), .statement(let right)): left < right
        case (.evidence(let left), .evidence(let right)): left < right
        case (.head(let left), .head(let right)): left < right
        case (.headCopy(let left, let one), .headCopy(let right, let other)): (left, one) < (right, other)
        case (.exchange(let left), .exchange(let right)): left < right
        case (.segment(let left), .segment(let right)): left < right
        case (.snapshotPart(let left, let one, let first), .snapshotPart(let right, let other, let second)):
            (left, one, first) < (right, other, second)
        default: left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .statement: 0
        case .head: 1
        case .headCopy: 2
        case .exchange: 3
        case .evidence: 4
        case .segment: 5
        case .snapshotPart: 6
        }
    }
}
