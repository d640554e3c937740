/// A reason for which a file was not protected, or not stored in clear again. It is as it was.
package enum ConversionFailure: Error, Sendable {
    case access(AccessFailure)
    /// Another program has the file open for writing, or was about to.
    case openForWriting
    /// The file was changed or replaced while it was copied.
    case changed
    /// The file was changed or replaced in the moment in which the new one took its place. The one that was there
    /// before stays under another name.
    case kept(path: String)
    /// The file is of a kind that keeps its form.
    case obstacle(LeftReason)
    /// The caller wanted no more.
    case cancelled
    /// There is not enough room for a second copy.
    case noSpace(needed: UInt64, free: UInt64)

    init(_ failure: AccessFailure) {
        self = .access(failure)
    }
}

/// Runs a body whose failures are those of files.
func converting<Value: ~Copyable>(
    _ body: () throws(AccessFailure) -> Value
) throws(ConversionFailure) -> Value {
    do throws(AccessFailure) {
        return try body()
    } catch {
        throw .access(error)
    }
}
