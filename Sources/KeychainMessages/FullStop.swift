extension String {
    /// The text without the full stop at its end: for what somebody else said, in a sentence that goes on behind it.
    package var withoutFullStop: String {
        hasSuffix(".") && !hasSuffix("..") ? String(dropLast()) : self
    }
}
