/// The limits of what a store is asked, and of what it may answer.
package enum StoreLimits {
    /// The greatest number of names in a listing: more than any prefix of a circle within its limits has.
    package static let listedNames = 16_384
    /// The greatest number of objects of one question.
    package static let names = 1_024
    /// The objects of one answer of ``SyncStore/read(_:)``, and of one call of ``SyncStore/create(_:)`` between processes: with their
    /// names they fit in a message of 4 MiB. Each object fits alone.
    package static let messageByteCount = (4 << 20) - (256 << 10)
    /// The heads of one answer of ``SyncStore/news(knowing:)``: beside them are the names of all statements and heads.
    package static let newsByteCount = 1 << 20
    /// The greatest number of parts of a snapshot.
    package static let snapshotParts = 1_000
    /// The greatest number of circles of a store that are listed.
    package static let circles = 1_000
}
