import Foundation

/// A folder of one test, removed with it.
final class ProtectedFolder {
    let url: URL

    init() throws {
        url = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("latchkey-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

extension Data {
    static let letter = Data("Dear diary, today the phone was locked.".utf8)

    /// The bytes of a file as every other program sees them.
    static func stored(at url: URL) throws -> Data { try Data(contentsOf: url) }
}
