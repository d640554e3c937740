import LatchkeyTestSupport

/// A program that many people use, at work in a directory, and how its work is checked.
package struct RealProgram: Sendable, CustomStringConvertible {
    package let name: String
    /// The commands that it needs, and the Debian packages that have them.
    let needs: [String: String]
    let body: @Sendable (ProgramStage) throws -> Void

    package var description: String { name }

    /// Work that went wrong, with what the program said.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs the program.
    /// - Parameters:
    ///   - path: a directory of the file system under test; empty before and after.
    ///   - scratch: an empty directory of another file system, to compare with.
    package func run(in path: Path, scratch: Path) throws {
        for (command, package) in needs.sorted(by: { $0.key < $1.key }) {
            guard try Program.run(["sh", "-c", "command -v \(command)"]).status == 0 else {
                throw Failure(description: "\(command) is missing (apt-get install \(package))")
            }
        }
        let parent = TestDirectory(path)
        try parent.makeDirectory("work")
        try body(ProgramStage(files: TestDirectory(path / "work"), scratch: TestDirectory(scratch)))
        try parent.empty()
    }
}

/// The directories of one run.
struct ProgramStage: Sendable {
    let files: TestDirectory
    let scratch: TestDirectory

    /// Runs a command in a directory below the work, and throws what it said unless it succeeds.
    @discardableResult
    func run(_ command: [String], in name: Path = "", input: String = "") throws -> String {
        let path = (name.bytes.isEmpty ? files.path : files.path / name).text
        // Nothing of the caller's own settings, and temporary files on the file system under test.
        let environment = [
            "HOME": files.path.text, "TMPDIR": files.path.text, "LC_ALL": "C", "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
        ]
        // The threads of a test block signals, and a shell that waits for its children would never hear of their ends:
        // --default-signal also unblocks them.
        let outcome = try Program.run(
            ["--default-signal", "-C", path] + command, input: Array(input.utf8), environment: environment)
        let output = String(decoding: outcome.output, as: UTF8.self)
        guard outcome.status == 0 else {
            throw RealProgram.Failure(
                description: "\(command.joined(separator: " ").prefix(500)) ended with \(outcome.status): "
                    + "\(outcome.complaints.suffix(2000)) \(output.suffix(500))")
        }
        return output
    }

    /// Runs lines of shell, each of which has to succeed.
    @discardableResult
    func shell(_ script: String, in name: Path = "") throws -> String {
        try run(["sh", "-ec", script], in: name)
    }

    /// Writes a file of the work.
    func write(_ name: Path, _ text: String) throws {
        try write(name, Array(text.utf8))
    }

    func write(_ name: Path, _ bytes: [UInt8]) throws {
        try files.create(name, bytes).close()
    }

    /// Expects a value that a program printed.
    func expect(_ found: String, _ wanted: String, _ subject: String) throws {
        let found = found.split(separator: "\n").joined(separator: "\n")
        if found != wanted { throw RealProgram.Failure(description: "\(subject): expected \(wanted), found \(found)") }
    }
}
