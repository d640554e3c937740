extension String {
    /// True if both have the same bytes, as texts of the keychain are compared (and by Apple's `CFEqual`). `==` finds
    /// canonically equivalent texts equal, which are different groups, accounts and so on.
    ///
    /// Compares in one piece: a comparison of the views takes byte by byte.
    package func hasBytes(of other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let areEqual = unsafe utf8.withContiguousStorageIfAvailable { one in
            unsafe other.utf8.withContiguousStorageIfAvailable { unsafe $0.elementsEqual(one) }
        }
        return (areEqual ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
