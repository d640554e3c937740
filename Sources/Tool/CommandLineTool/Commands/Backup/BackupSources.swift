package import ArgumentParser
import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyFileAccess
import LatchkeyPlainText

/// The folders whose files are backed up.
package struct BackupSources: ParsableArguments {
    @Option(
        name: .customLong("files"),
        help: ArgumentHelp(
            """
            A folder or file to back up, too; can be given several times. One in the home directory is part of HomeDomain; \
            DOMAIN=DIR makes another directory the root of a domain.
            """, valueName: "path"),
        completion: .directory)
    package var files: [String] = []

    package init() {}

    func sources() throws(CommandFailure) -> [BackupSource] {
        var sources: [BackupSource] = []
        for argument in files { sources.append(try Self.source(argument)) }
        if let domain = sources.contradiction {
            throw CommandFailure(
                .usage, "The domain \(PlainText.escaped(domain.name)) has two directories.",
                advice: "Give each directory a domain of its own.")
        }
        return sources.withoutRepetition
    }

    private static func source(_ argument: String) throws(CommandFailure) -> BackupSource {
        let (domain, path) = try split(argument)
        if let domain {
            guard let source = BackupSource(domain: domain, root: try real(path)) else {
                throw CommandFailure(
                    .usage, "\(PlainText.escaped(domain)) cannot be the name of a domain.",
                    why: "It is empty, too long, or the domain of the items.")
            }
            return source
        }
        let home = try real(home)
        let place = try real(path)
        let isInHome = place == home || place.utf8.starts(with: ((home == "/" ? "" : home) + "/").utf8)
        let part = isInHome ? String(place.dropFirst(home.count).drop { $0 == "/" }) : ""
        guard isInHome, let source = BackupSource(domain: BackupSource.home, root: home, part: part) else {
            throw CommandFailure(
                .usage, "\(PlainText.escaped(path)) is not in the home directory.",
                advice: "Name its domain: --files AppDomain-com.example.app=\(PlainText.escaped(path)).")
        }
        return source
    }

    /// The domain and the directory of an argument `DOMAIN=DIR`.
    static func split(_ argument: String) throws(CommandFailure) -> (domain: String?, path: String) {
        // A path that has the sign can be written with a slash before it.
        guard let sign = argument.firstIndex(of: "="), !argument[..<sign].utf8.contains(UInt8(ascii: "/")) else {
            return (nil, argument)
        }
        return (String(argument[..<sign]), String(argument[argument.index(after: sign)...]))
    }

    /// The user's home directory, as the shell names it.
    static var home: String {
        ProcessInfo.processInfo.environment["HOME"].flatMap { PathText.isAbsolute($0) ? $0 : nil } ?? NSHomeDirectory()
    }

    private static func real(_ path: String) throws(CommandFailure) -> String {
        do throws(AccessFailure) {
            guard let real = FilePath.resolved(FileArgument.absolute(path)) else {
                throw .system(call: "realpath", errno: ENOENT)
            }
            return real
        } catch {
            throw CommandFailure(error, path: path)
        }
    }
}
