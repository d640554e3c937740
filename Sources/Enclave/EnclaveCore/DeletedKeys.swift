package import LatchkeyEnclaveContract

/// The deleted enclave keys. They can never be used again, even if a copy of the blob exists.
package struct DeletedKeys: Sendable, Equatable {
    /// This many identifiers are 16 megabytes on disk.
    package static let limit = 1_000_000

    /// In ascending order, without duplicates.
    package private(set) var identifiers: [EnclaveKeyIdentifier]

    package init() {
        identifiers = []
    }

    /// Returns nil if the identifiers do not ascend, or are too many.
    package init?(ascending identifiers: [EnclaveKeyIdentifier]) {
        guard identifiers.count <= Self.limit, zip(identifiers, identifiers.dropFirst()).allSatisfy(<) else {
            return nil
        }
        self.identifiers = identifiers
    }

    package func contains(_ identifier: EnclaveKeyIdentifier) -> Bool {
        let place = place(of: identifier)
        return place < identifiers.count && identifiers[place] == identifier
    }

    /// Returns a copy with more identifiers; nil if there would be too many.
    package func adding(_ more: some Sequence<EnclaveKeyIdentifier>) -> DeletedKeys? {
        let new = Set(more).filter { !contains($0) }.sorted()
        guard identifiers.count + new.count <= Self.limit else { return nil }
        var merged: [EnclaveKeyIdentifier] = []
        merged.reserveCapacity(identifiers.count + new.count)
        var rest = new[...]
        for identifier in identifiers {
            while let next = rest.first, next < identifier { merged.append(rest.removeFirst()) }
            merged.append(identifier)
        }
        var both = self
        both.identifiers = merged + rest
        return both
    }

    /// Returns the index of the identifier, or the index at which it would be inserted.
    private func place(of identifier: EnclaveKeyIdentifier) -> Int {
        var range = 0..<identifiers.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = identifiers[middle] < identifier ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
