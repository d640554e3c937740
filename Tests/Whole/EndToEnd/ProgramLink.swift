import Foundation
import LatchkeyTestSupport

/// A link to the `latchkey` of the build. Its path has no blanks, wherever the clone is, so lines of a shell may have it in
/// a variable without quotes. The link goes with the object.
final class ProgramLink {
    let path: String
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("latchkey")
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: try Installation.program("latchkey").path)
    }
}
