/// A reason for which a store did not do what it was asked.
///
/// Only ``taken(_:)`` and ``headReplaced`` say something about objects, and a store may lie about both: a caller that draws a conclusion
/// from them reads the object first.
package enum StoreFailure: Error, Hashable, Sendable {
    /// The store does not answer. Later it may.
    case unreachable(Absence)
    /// The store answers, and does not do it before a person changes something.
    case refused(Refusal)
    /// An object with other bytes exists under the name.
    case taken(StoreObjectName)
    /// The stored head of this device is not the one that was to be replaced.
    case headReplaced
    /// The object cannot be written under the name: it is too long or empty, or the name is not for writing.
    case unsuitable(StoreObjectName)
    /// Another failure of the system. The number is its `errno`.
    case system(Int32)

    package enum Absence: UInt8, Hashable, Sendable, CaseIterable {
        /// The folder is not there: it is not mounted, was moved or removed.
        case folderMissing = 1
        /// The file system, or the server, does not answer.
        case noAnswer = 2
        /// No transport is running.
        case noTransport = 3
    }

    package enum Refusal: UInt8, Hashable, Sendable, CaseIterable {
        case permission = 1
        case readOnly = 2
        case quota = 3
        case full = 4
        /// Something other than a folder or a file is in the place of one.
        case obstructed = 5
        /// The server cannot prove who it is: its certificate is not of a known authority, is expired, or is another server's.
        case untrusted = 6
        /// The server does not accept the certificate, or the name and password, of this device.
        case credentials = 7
    }
}
