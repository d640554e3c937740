import Glibc
import LatchkeyDevice

/// The three programs: side by side, of one version, and safe from being replaced, with the library that they share.
enum ProgramSteps {
    static let names = ["latchkey", DaemonPair.daemonName, DaemonPair.enclaveName]

    /// - Parameter owner: who, besides root, may be able to change them; root for a system installation.
    static func steps(in directory: String, owner: UInt32, reinstall: String) -> [InstallationStep] {
        let missing = names.filter { unsafe access(directory + "/" + $0, X_OK) != 0 }
        guard missing.isEmpty else {
            return [
                InstallationStep(
                    "programs", .missing, "\(missing.joined(separator: ", ")) not in \(directory)", mend: reinstall)
            ]
        }
        return [versions(in: directory, reinstall), safety(of: directory, owner)]
    }

    private static func versions(in directory: String, _ reinstall: String) -> InstallationStep {
        let found = names.map { name in
            let said = name == "latchkey" ? nil : version(of: directory + "/" + name)
            return (name, name == "latchkey" ? ProgramVersion.text : said ?? "no version")
        }
        let isOne = found.allSatisfy { $0.1 == ProgramVersion.text }
        return InstallationStep(
            "programs", holds: isOne,
            isOne
                ? "version \(ProgramVersion.text), in \(directory)"
                : found.map { "\($0.0): \($0.1)" }.joined(separator: ", "),
            mend: reinstall)
    }

    private static func safety(of directory: String, _ owner: UInt32) -> InstallationStep {
        for name in names + SharedLibrary.names(in: directory) {
            guard let open = FileFacts.changeable(directory + "/" + name, by: owner) else { continue }
            let facts = FileFacts(open)?.text ?? "not to be seen"
            let name = Account.userName(owner) ?? String(owner)
            return InstallationStep(
                "programs are safe", .missing, "others can change \(open) (\(facts))",
                mend: "chown \(name) '\(open)' && chmod go-w '\(open)'")
        }
        return InstallationStep(
            "programs are safe", .ok, owner == 0 ? "only root can change them" : "only this user can change them")
    }

    /// The answer of a daemon to `--version`; nil if it does not answer.
    private static func version(of path: String) -> String? {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return nil }
        defer { close(ends[0]) }
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        let started = try? Program(path: path).start(
            ["--version"], descriptors: (nothing, ends[1], nothing), detached: false)
        close(ends[1])
        guard let started else { return nil }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = unsafe read(ends[0], &bytes, bytes.count)
        waitpid(started, nil, 0)
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count], as: UTF8.self).split { $0 == " " || $0 == "\n" }.last.map(String.init)
    }
}
