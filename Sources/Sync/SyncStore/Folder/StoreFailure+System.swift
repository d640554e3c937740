internal import Glibc
internal import LatchkeyOpenFolders

extension StoreFailure {
    /// The meaning of a failed call below the folder that the user named.
    init(_ failure: SystemCallFailure) {
        switch failure.number {
        case EACCES, EPERM: self = .refused(.permission)
        case EROFS: self = .refused(.readOnly)
        case EDQUOT: self = .refused(.quota)
        case ENOSPC, EFBIG: self = .refused(.full)
        case EISDIR, ENOTDIR, ELOOP, EEXIST, ENOTEMPTY: self = .refused(.obstructed)
        case ENOENT, ESTALE: self = .unreachable(.folderMissing)
        case ENODEV, ENXIO, EHOSTDOWN, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, ENOTCONN, ECONNREFUSED, ECONNABORTED,
            ECONNRESET, EREMOTEIO:
            self = .unreachable(.noAnswer)
        default: self = .system(failure.number)
        }
    }
}
