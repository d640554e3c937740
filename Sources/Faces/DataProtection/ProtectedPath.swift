import Foundation

/// The path of a file URL, as ``absolute(_:_:)`` makes it.
func path(of url: URL, _ deed: FileDeed) throws -> String {
    guard url.isFileURL else {
        let code: CocoaError.Code = deed == .read ? .fileReadUnsupportedScheme : .fileWriteUnsupportedScheme
        throw CocoaError(code, userInfo: [NSURLErrorKey: url])
    }
    return try absolute(url.path, deed)
}

/// A path from the root. Links and `..` are left to the system, so that every call means the same file.
func absolute(_ path: String, _ deed: FileDeed) throws -> String {
    guard !path.isEmpty, !path.utf8.contains(0) else {
        let code: CocoaError.Code = deed == .read ? .fileReadInvalidFileName : .fileWriteInvalidFileName
        throw CocoaError(code, userInfo: [NSFilePathErrorKey: path])
    }
    return path.utf8.first == UInt8(ascii: "/") ? path : FileManager.default.currentDirectoryPath + "/" + path
}
