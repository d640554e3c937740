import Foundation
import Glibc
package import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeyPlainText
import LatchkeyPrompt
package import LatchkeySecretMemory

/// The directory in which a developer's team keys lie: for each team the private key and what is handed out.
package struct TeamKeyStore: Sendable, Hashable {
    package let directory: String

    package init(directory: String) {
        self.directory = directory
    }

    /// `$XDG_DATA_HOME/latchkey/teams`, or the same beneath `~/.local/share`.
    package static func ofThisUser(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> TeamKeyStore {
        if let data = environment["XDG_DATA_HOME"], PathText.isAbsolute(data) {
            return TeamKeyStore(directory: data + "/latchkey/teams")
        }
        guard let home = environment["HOME"], PathText.isAbsolute(home) else {
            throw CommandFailure(
                .teamKeyUnusable, "There is no directory for team keys.",
                why: "Neither XDG_DATA_HOME nor HOME is set.", advice: "Set one of them, or name the key with --key.")
        }
        return TeamKeyStore(directory: home + "/.local/share/latchkey/teams")
    }

    package func keyPath(_ team: TeamIdentifier) -> String { directory + "/\(team).key" }
    package func teamPath(_ team: TeamIdentifier) -> String { directory + "/\(team).team" }

    /// The teams whose keys are here.
    package var teams: [TeamIdentifier] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".key") }.sorted().compactMap { TeamIdentifier(String($0.dropLast(4))) }
    }

    /// Writes a new team's two files, and never over others.
    package func store(_ file: TeamFile, key: SecretBox) throws(CommandFailure) {
        if let number = PrivateFolder.make(directory) {
            throw .notStored(directory, why: SystemError.text(number))
        }
        let team = file.key.identifier
        try Self.create(keyPath(team), mode: 0o600) { descriptor in
            unsafe key.withBytes { unsafe Descriptor.write($0, to: descriptor) }
        }
        do throws(CommandFailure) {
            try Self.create(teamPath(team), mode: 0o644) { Descriptor.write(file.text, to: $0) }
        } catch {
            // A key without its other half would block the next try, and it was never used.
            unsafe unlink(keyPath(team))
            throw error
        }
    }

    private static func create(_ path: String, mode: mode_t, _ write: (Int32) -> Bool) throws(CommandFailure) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            guard errno != EEXIST else {
                throw CommandFailure(
                    .teamKeyUnusable, "\(path) exists already.", why: "A team's files are never written over.",
                    advice: "Move it away, or name another directory with --output.")
            }
            throw .notStored(path, why: SystemError.text(errno))
        }
        defer { close(descriptor) }
        guard write(descriptor), fsync(descriptor) == 0 else {
            let number = errno
            unsafe unlink(path)
            throw .notStored(path, why: SystemError.text(number))
        }
    }

    /// The text of a private key. A key that other users can read or replace is refused.
    package static func read(_ path: String) throws(CommandFailure) -> SecretBox {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw .keyFile(
                path, why: SystemError.text(errno), advice: "`latchkey team create` makes a team; --key names its file."
            )
        }
        defer { close(descriptor) }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else { throw .keyFile(path, why: SystemError.text(errno)) }
        guard information.st_mode & S_IFMT == S_IFREG else { throw .keyFile(path, why: "It is not a regular file.") }
        guard information.st_uid == geteuid() || geteuid() == 0 else {
            throw .keyFile(
                path, why: "It belongs to user \(information.st_uid), not to this one (\(geteuid())).",
                advice: "Sign as the user who made the team.")
        }
        guard information.st_mode & 0o077 == 0 else {
            throw .keyFile(
                path, why: "Others can read or change it (mode \(String(information.st_mode & 0o777, radix: 8))).",
                advice: "If no other user has read it yet: chmod 600 '\(path)'. Else make a new team.")
        }
        do {
            return try SecretReader.everything(from: descriptor, limit: 64 * 1024)
        } catch {
            throw .keyFile(path, why: "It cannot be read, or is longer than a key.")
        }
    }
}

extension CommandFailure {
    fileprivate static func notStored(_ path: String, why: String) -> CommandFailure {
        CommandFailure(
            .failure, "\(path) cannot be written.", why: why, advice: "Name another directory with --output.")
    }

    static func keyFile(_ path: String, why: String, advice: String? = nil) -> CommandFailure {
        CommandFailure(.teamKeyUnusable, "The team's key in \(path) cannot be used.", why: why, advice: advice)
    }
}
