/// The reason why the root of trust cannot be read or written, with advice.
package enum StorageFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The operating system refused the operation. The state on disk is unchanged, or that of a completed write.
    case cannot(_ what: String, path: String, reason: String, errorNumber: Int32)
    /// Other users may read or write the files.
    case unsafePermissions(path: String, found: String, mend: String)
    /// The path is not a regular file or directory made by the enclave.
    case wrongKind(path: String)
    /// The file is not as it was last written.
    case damaged(path: String, what: String)
    /// Damage of a file that the device can work without; `loss` says what is lost with it.
    case damagedButDispensable(path: String, what: String, loss: String)
    /// The file names a format of a later version. It is not called damaged, which could cost the file.
    case newerVersion(path: String, version: UInt32)
    /// A file is missing although the others exist.
    case missing(path: String)
    /// The list of deleted keys is full.
    case tooManyDeletedKeys(limit: Int)

    package var description: String {
        switch self {
        case .cannot(let what, let path, let reason, _):
            "cannot \(what) \(path): \(reason)"
        case .unsafePermissions(let path, let found, let mend):
            "\(path) \(found), so others could reach the keys; run: \(mend)"
        case .wrongKind(let path):
            "\(path) is a link or something else that the enclave did not make; move it away"
        case .damaged(let path, let what):
            "\(path) is damaged: \(what); nothing was changed. "
                + "Put the file back from a copy; without one the keys of this device are lost"
        case .damagedButDispensable(let path, let what, let loss):
            "\(path) is damaged: \(what); nothing was changed. Put the file back from a copy, or remove it: \(loss)"
        case .newerVersion(let path, let version):
            "\(path) has format \(version), which needs a newer version of Latchkey; nothing was changed. "
                + "Install the newer version again. If there never was one, put the file back from a copy"
        case .missing(let path):
            "\(path) is missing although the files beside it are there; nothing was changed. "
                + "Put the file back from a copy; without one the keys of this device are lost"
        case .tooManyDeletedKeys(let limit):
            "\(limit) deleted keys are on record and there is no room for more; nothing was changed. "
                + "Erasing the device empties the list"
        }
    }
}
