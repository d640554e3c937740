import Foundation
import LatchkeyFileSystemTesting

/// Runs the testers of file systems on a directory, and stands for another process in some of their rules.
@main
enum FileSystemCheck {
    private static let usage = """
        usage: file-system-check rules DIRECTORY [TEXT]     the table of rules; only rows whose name contains the text

        """

    static func main() {
        // A reader that has gone away is an error, not the end.
        signal(SIGPIPE, SIG_IGN)
        do {
            exit(try run(Array(CommandLine.arguments.dropFirst())))
        } catch {
            write("file-system-check: \(error)\n", to: .standardError)
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws -> Int32 {
        guard let command = arguments.first, arguments.count >= 2 else { return explain() }
        switch command {
        case "rules":
            return rules(Path(arguments[1]), containing: arguments.dropFirst(2).first)
        default:
            guard let answer = try OtherProcessCommands.answer(arguments) else { return explain() }
            write(answer + "\n", to: .standardOutput)
            return 0
        }
    }

    private static func rules(_ path: Path, containing text: String?) -> Int32 {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let outcomes = FileSystemRules.run(in: path, otherProcess: own) { name in
            text.map { name.contains($0) } ?? true
        }
        for outcome in outcomes where outcome.verdict != .kept { write("\(outcome)\n", to: .standardOutput) }
        let broken = outcomes.count(where: \.isBroken)
        write("\(outcomes.count) rules, \(broken) broken\n", to: .standardOutput)
        return broken == 0 && !outcomes.isEmpty ? 0 : 1
    }

    private static func explain() -> Int32 {
        write(usage, to: .standardError)
        return 2
    }

    private static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
