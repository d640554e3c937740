/// The rule by which a head takes the place of another one, in every store that can compare.
package struct HeadReplacement: Sendable {
    package let mark: HeadMark
    private let name: StoreObjectName
    private let expected: HeadMark?

    /// - Parameters:
    ///   - expected: the stored head as it was last read, nil for none.
    package init(of head: [UInt8], named name: StoreObjectName, expecting expected: HeadMark?) {
        mark = HeadMark(of: head)
        self.name = name
        self.expected = expected
    }

    /// Returns false if the new head is there already. Throws ``StoreFailure/headReplaced`` if what is there is not expected.
    ///
    /// - Parameter stored: the bytes in its place, if there are any. Those of half a head count as none.
    package func isNeeded(over stored: [UInt8]?) throws(StoreFailure) -> Bool {
        let found = stored.flatMap { StoredForm.isWhole($0, of: name) ? HeadMark(of: $0) : nil }
        if found == mark { return false }
        guard found == expected else { throw .headReplaced }
        return true
    }
}
