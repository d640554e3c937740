/// A reason for which an operation on a protected file failed.
package enum FileFailure: Error, Sendable, Hashable {
    /// The file was closed, and its keys are wiped.
    case closed
    /// The file was opened for reading only.
    case readOnly
    /// A header could not be written or a synchronization failed, so the state on disk is unknown. Open the file again.
    case unsettled
    /// No header copy is complete: another kind of file, or both copies are damaged.
    case notProtectedFile
    /// The file needs a later release, which knows this format version.
    case newerVersion(UInt32)
    /// No header copy is authentic under this key: the key is of another file, or the copies were altered.
    case notAuthentic
    /// A new file was to be made where there are bytes already.
    case notEmpty
    /// The two header copies belong to different files.
    case headersDisagree
    /// The content of this range of bytes is missing or altered.
    case damaged(Range<UInt64>)
    /// The end of a write, or a length, is beyond ``FileHeader/maximumLength``; or the positions or the generations of
    /// the file are used up. Copy the content to a new file then.
    case tooLarge
    /// The wrapped key is longer than ``FileHeader/maximumWrappedKeyByteCount``.
    case wrappedKeyTooLong(Int)
    /// The backing failed; what was written before stays as it was.
    case backing(BackingFailure)
}
