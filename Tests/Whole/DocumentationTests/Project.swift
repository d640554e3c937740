import Foundation
import LatchkeyTestSupport

/// The files of this project, as the tests find them beside themselves.
enum Project {
    static let root = PackageFolder.url

    /// Paths relative to the root of the files below a directory that end with `suffix`; hidden directories aside.
    static func files(below directory: String, suffix: String) -> [String] {
        let start = root.appendingPathComponent(directory).path
        guard let names = FileManager.default.enumerator(atPath: start) else { return [] }
        var files: [String] = []
        while let name = names.nextObject() as? String {
            if name.hasPrefix(".") || name.hasSuffix(".build") {
                names.skipDescendants()
            } else if name.hasSuffix(suffix) {
                files.append(directory.isEmpty ? name : directory + "/" + name)
            }
        }
        return files.sorted()
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }
}
