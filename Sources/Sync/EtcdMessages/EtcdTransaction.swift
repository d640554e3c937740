/// Keys of a store: one, or all from one to another.
package struct EtcdKeyRange: Hashable, Sendable {
    package let key: [UInt8]
    /// The first key that does not belong to the range; nil for one key.
    package let end: [UInt8]?

    package init(_ key: [UInt8]) {
        self.key = key
        end = nil
    }

    package init(from key: [UInt8], upTo end: [UInt8]) {
        self.key = key
        self.end = end
    }

    /// - Parameter prefix: not empty, and its last byte is not 255.
    package init(prefix: [UInt8]) {
        precondition(prefix.last.map { $0 < 0xFF } ?? false, "the prefix of a range has a next one")
        var end = prefix
        end[end.count - 1] += 1
        self.init(from: prefix, upTo: end)
    }
}

/// A transaction: if every key is in its expected state, the operations are done, all or none. Reading is done by operations, too.
package struct EtcdTransaction: Hashable, Sendable {
    /// The state that a key is to be in: the revision of its last change, 0 if there is no such key.
    package struct Condition: Hashable, Sendable {
        package let key: [UInt8]
        package let revision: Int64

        package init(_ key: [UInt8], revision: Int64) {
            self.key = key
            self.revision = revision
        }
    }

    package enum Operation: Hashable, Sendable {
        case put(key: [UInt8], value: [UInt8])
        case remove(key: [UInt8])
        case read(EtcdQuery)
    }

    /// The greatest number of operations, and of conditions, of a server that was not told otherwise.
    package static let limit = 128

    package var conditions: [Condition]
    package var operations: [Operation]

    package init(conditions: [Condition] = [], operations: [Operation] = []) {
        self.conditions = conditions
        self.operations = operations
    }
}

/// A question for the keys of a range.
package struct EtcdQuery: Hashable, Sendable {
    package var range: EtcdKeyRange
    /// The greatest number of keys of the answer; 0 for all.
    package var limit: Int
    package var isOfKeysOnly: Bool
    /// True if any member may answer by itself, with a state that may be old.
    package var mayBeOld: Bool
    /// Keys that were changed earlier are left out.
    package var changedSince: Int64?

    package init(
        _ range: EtcdKeyRange, limit: Int = 0, isOfKeysOnly: Bool = false, mayBeOld: Bool = false,
        changedSince: Int64? = nil
    ) {
        self.range = range
        self.limit = limit
        self.isOfKeysOnly = isOfKeysOnly
        self.mayBeOld = mayBeOld
        self.changedSince = changedSince
    }
}
