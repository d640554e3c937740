import Glibc
package import LatchkeyFileAccess
import LatchkeyFileFormat

/// The number of `errno` with which a call on a volume ends.
package struct VolumeFailure: Error, Sendable, Hashable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    /// The failure of the last call of the system.
    static var ofLastCall: VolumeFailure { VolumeFailure(errno) }

    /// Translates a protected file's failure for programs on a volume. A locked file is `EPERM`, as on iOS.
    package init(_ failure: AccessFailure) {
        switch failure {
        case .refused: number = EPERM
        case .system(_, let errno): number = errno
        case .inUse: number = EBUSY
        case .file(.tooLarge): number = EFBIG
        case .file(.readOnly), .file(.backing(.readOnly)): number = EROFS
        case .file(.backing(.noSpace)): number = ENOSPC
        case .file(.backing(.system(let errno))): number = errno
        case .file, .notProtected, .unknownClass: number = EIO
        }
    }
}
