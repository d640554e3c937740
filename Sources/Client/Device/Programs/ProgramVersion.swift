import Glibc

/// The version of all programs of an installation; they speak to each other, so they come together.
package enum ProgramVersion {
    package static let text = "0.3.0"

    /// Answers `--version`, if that is all a daemon was asked, and ends the process.
    package static func answer(_ arguments: [String], program: String) {
        guard arguments.dropFirst() == ["--version"] else { return }
        let line = Array("\(program) \(text)\n".utf8)
        let written = unsafe write(STDOUT_FILENO, line, line.count)
        exit(written == line.count ? EXIT_SUCCESS : EXIT_FAILURE)
    }
}
