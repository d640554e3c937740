package import Foundation

/// The folder of the package that these tests belong to.
package enum PackageFolder {
    package static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// - Parameter path: from the folder on.
    package static func file(_ path: String) -> URL { url.appending(path: path) }
}
