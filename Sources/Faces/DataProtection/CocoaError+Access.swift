import Foundation
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeychainMessages

/// The intention of a call. It decides the code of an error, as in Foundation.
enum FileDeed {
    case read, write
}

extension CocoaError {
    /// The error that a program sees for a failure. A locked file is `fileReadNoPermission` or `fileWriteNoPermission` over
    /// `EPERM`, as on iOS.
    init(_ failure: AccessFailure, _ deed: FileDeed, path: String) {
        var info: [String: Any] = [NSFilePathErrorKey: path]
        let code: CocoaError.Code
        switch failure {
        case .refused(let refusal):
            if refusal == .ofParent {
                code = deed == .read ? .fileReadUnknown : .fileWriteUnknown
                info[NSUnderlyingErrorKey] = POSIXError(.EBADF)
            } else {
                code = deed == .read ? .fileReadNoPermission : .fileWriteNoPermission
                info[NSUnderlyingErrorKey] = POSIXError(.EPERM)
            }
            info[NSLocalizedFailureReasonErrorKey] = refusal.refusal?.reason
            info[NSLocalizedRecoverySuggestionErrorKey] = refusal.refusal?.advice
        case .inUse:
            code = .fileLocking
            info[NSUnderlyingErrorKey] = POSIXError(.EBUSY)
            info[NSLocalizedFailureReasonErrorKey] = "Another process has the file open."
        case .notProtected:
            code = deed == .read ? .fileReadUnknown : .fileWriteUnknown
            info[NSLocalizedFailureReasonErrorKey] = "The file is stored in clear: it has no protection class."
        case .unknownClass(let number):
            code = .fileReadCorruptFile
            info[NSLocalizedFailureReasonErrorKey] =
                "The file names the protection class \(number), which does not exist."
        case .file(let failure):
            (code, info[NSUnderlyingErrorKey], info[NSLocalizedFailureReasonErrorKey]) = Self.parts(failure, deed)
        case .system(_, let number):
            code = Self.code(number, deed)
            info[NSUnderlyingErrorKey] = Self.posix(number)
        }
        self.init(code, userInfo: info)
    }

    private static func parts(_ failure: FileFailure, _ deed: FileDeed) -> (Code, POSIXError?, String?) {
        switch failure {
        case .backing(.noSpace): (.fileWriteOutOfSpace, POSIXError(.ENOSPC), nil)
        case .backing(.readOnly): (.fileWriteVolumeReadOnly, POSIXError(.EROFS), nil)
        case .backing(.system(let number)): (code(number, deed), posix(number), nil)
        case .readOnly: (.fileWriteNoPermission, POSIXError(.EBADF), "The file was opened for reading only.")
        case .closed: (deed == .read ? .fileReadUnknown : .fileWriteUnknown, POSIXError(.EBADF), "The file is closed.")
        case .unsettled:
            (
                .fileWriteUnknown, POSIXError(.EIO),
                "The disk failed, and it is unknown how much of the last changes it has."
            )
        case .newerVersion(let version):
            (.fileReadCorruptFile, nil, "The file has format \(version), which needs a later version of Latchkey.")
        case .damaged(let range):
            (
                .fileReadCorruptFile, POSIXError(.EIO),
                "The bytes \(range.lowerBound) to \(range.upperBound) are damaged."
            )
        case .notAuthentic, .headersDisagree, .notProtectedFile:
            (.fileReadCorruptFile, POSIXError(.EIO), "The header of the file is damaged, or another file's.")
        case .notEmpty: (.fileWriteFileExists, POSIXError(.EEXIST), nil)
        case .tooLarge: (.fileWriteOutOfSpace, POSIXError(.EFBIG), nil)
        case .wrappedKeyTooLong: (.fileWriteUnknown, nil, "The device gave a key that no file can hold.")
        }
    }

    private static func posix(_ number: Int32) -> POSIXError? {
        POSIXErrorCode(rawValue: number).map { POSIXError($0) }
    }

    private static func code(_ number: Int32, _ deed: FileDeed) -> Code {
        switch (POSIXErrorCode(rawValue: number), deed) {
        case (.ENOENT, .read), (.ENOTDIR, .read): .fileReadNoSuchFile
        case (.ENOENT, .write), (.ENOTDIR, .write): .fileNoSuchFile
        case (.EACCES, .read), (.EPERM, .read): .fileReadNoPermission
        case (.EACCES, .write), (.EPERM, .write): .fileWriteNoPermission
        case (.EEXIST, _): .fileWriteFileExists
        case (.ENOSPC, _), (.EDQUOT, _): .fileWriteOutOfSpace
        case (.EROFS, _): .fileWriteVolumeReadOnly
        case (.ENAMETOOLONG, _): deed == .read ? .fileReadInvalidFileName : .fileWriteInvalidFileName
        case (.EOPNOTSUPP, _): .featureUnsupported
        case (_, .read): .fileReadUnknown
        case (_, .write): .fileWriteUnknown
        }
    }
}
