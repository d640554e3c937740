/// The items of a former home that the owner adopted, in the state they had then.
///
/// The program that owns the home can add and change items there at any time. Those items stay the program's own until
/// the owner adopts again.
package struct AdoptedItems: Sendable, Hashable {
    /// The highest row number at the time of the adoption. Rows added later have higher numbers.
    package let lastRow: Int64
    /// The time of the last change before the adoption, in microseconds since 2001-01-01 00:00:00 UTC.
    package let lastChange: Int64

    package init(lastRow: Int64, lastChange: Int64) {
        self.lastRow = lastRow
        self.lastChange = lastChange
    }
}
