/// The end of the name that Syncthing gives to the file that loses when two devices have written one: the date and time of the
/// conflict, and the beginning of the identifier of the device that wrote it.
package struct ConflictTag: Hashable, Sendable, Comparable {
    /// As in `20261125-163000-ABCDEFG`.
    package let text: String

    static let mark = ".sync-conflict-"

    /// Returns nil for a text of another form.
    package init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 8, parts[1].count == 6, parts[2].count == 7 else { return nil }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        guard parts[0].allSatisfy(digits.contains), parts[1].allSatisfy(digits.contains),
            parts[2].allSatisfy({ digits.contains($0) || letters.contains($0) })
        else { return nil }
        self.text = String(text)
    }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}
