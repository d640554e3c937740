/// The items of a former home that an adoption was about: those that were there, as they were.
///
/// The program that has the home to itself may add items and change them at any time. Those are its own until the owner
/// adopts again.
package struct AdoptedItems: Sendable, Hashable {
    /// No row that was there has a higher number, and every later one has.
    package let lastRow: Int64
    /// Microseconds since 2001-01-01 00:00:00 UTC: no item that was there changed later.
    package let lastChange: Int64

    package init(lastRow: Int64, lastChange: Int64) {
        self.lastRow = lastRow
        self.lastChange = lastChange
    }
}
