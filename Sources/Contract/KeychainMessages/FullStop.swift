extension String {
    /// The text without the full stop at its end: for a quoted reason in the middle of a sentence.
    package var withoutFullStop: String {
        hasSuffix(".") && !hasSuffix("..") ? String(dropLast()) : self
    }
}
