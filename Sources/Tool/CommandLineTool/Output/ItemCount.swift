/// A number of items, or of other things, in words.
package enum ItemCount {
    /// "1 item", "3 items".
    package static func text(_ count: some BinaryInteger) -> String {
        text(count, "item")
    }

    /// "1 macro", "3 macros"; "2 identities" where the plural is given.
    package static func text(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(plural ?? noun + "s")"
    }

    /// The same at the beginning of a sentence: "One item", "3 items".
    package static func opening(_ count: some BinaryInteger) -> String {
        count == 1 ? "One item" : text(count)
    }
}
