/// The reason why the log cannot be read at all.
package enum AuditReadFailure: Error, Sendable, Hashable {
    case unreadable(path: String, errno: Int32)
    /// The file is longer than the log's limit.
    case tooLarge(path: String, byteCount: Int)
}
