import Foundation
import LatchkeyFileAccess

/// The path of a file URL, absolute and without `.` and `..`; symbolic links stay.
func path(of url: URL) throws -> String {
    guard url.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url]) }
    return absolute(url.path)
}

func absolute(_ path: String) -> String {
    let base = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    return URL(fileURLWithPath: base).standardized.path
}
