/// A number of items in words.
package enum ItemCount {
    /// "1 item", "3 items".
    package static func text(_ count: some BinaryInteger) -> String {
        count == 1 ? "1 item" : "\(count) items"
    }
}
