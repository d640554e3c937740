/// A number of items in words.
package enum ItemCount {
    /// "1 item", "3 items".
    package static func text(_ count: some BinaryInteger) -> String {
        count == 1 ? "1 item" : "\(count) items"
    }

    /// The same at the beginning of a sentence: "One item", "3 items".
    package static func opening(_ count: some BinaryInteger) -> String {
        count == 1 ? "One item" : text(count)
    }
}
