/// What is wrong with a chain of records, and where.
package struct AuditFault: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// A record does not have the digest it was written with.
        case changed
        /// The file ends within a record.
        case cut
        /// The first records of the chain are gone.
        case missingBeginning = "missing-beginning"
        /// Records in the middle are gone.
        case missingRecords = "missing-records"
        /// A record stands where another one belongs.
        case wrongOrder = "wrong-order"
        /// The newest file, or the newest records, are gone.
        case missingEnd = "missing-end"
    }

    package let kind: Kind
    /// Name of the file in the keychain's directory.
    package let file: String
    /// The last record that is as it was written; 0 if it is the first that is not.
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
