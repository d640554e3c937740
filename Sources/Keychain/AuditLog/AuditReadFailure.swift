/// Why the log cannot be read at all.
package enum AuditReadFailure: Error, Sendable, Hashable {
    case unreadable(path: String, errno: Int32)
    /// Longer than the log ever makes it.
    case tooLarge(path: String, byteCount: Int)
}
