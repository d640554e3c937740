/// A fault in a chain of records, and its position.
package struct AuditFault: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// A record does not match its digest.
        case changed
        /// The file ends in the middle of a record.
        case cut
        /// The first records of the chain are missing.
        case missingBeginning = "missing-beginning"
        /// Records in the middle are missing.
        case missingRecords = "missing-records"
        /// A record is in the wrong position.
        case wrongOrder = "wrong-order"
        /// The newest file or the newest records are missing.
        case missingEnd = "missing-end"
    }

    package let kind: Kind
    /// The file's name in the keychain's directory.
    package let file: String
    /// The last intact record; 0 if there is none before the fault.
    package let lastSoundNumber: Int64

    package var description: String {
        let place =
            lastSoundNumber == 0
            ? "at the beginning of \(file)" : "in \(file), after record \(lastSoundNumber)"
        return "\(reason) (\(kind.rawValue), \(place))."
    }

    private var reason: String {
        switch kind {
        case .changed: "A record was changed after it was written"
        case .cut: "The file ends in the middle of a record"
        case .missingBeginning: "The first records of the chain are missing"
        case .missingRecords: "Records are missing"
        case .wrongOrder: "A record is not where it was written"
        case .missingEnd: "The newest records are missing"
        }
    }
}
