import Foundation
import LatchkeyFileSystemTesting

/// Runs the testers of file systems on a directory, and stands for another process in some of their rules.
@main
enum FileSystemCheck {
    private static let usage = """
        usage: file-system-check rules DIRECTORY [TEXT]     the table of rules; only rows whose name contains the text
               file-system-check shadow DIRECTORY [SEED [OPERATIONS [THREADS]]]    random operations on files
               file-system-check tree DIRECTORY [SEED [OPERATIONS [THREADS]]]      random operations on names
               file-system-check programs DIRECTORY SCRATCH [NAME]    git, tar, sqlite3 and others; SCRATCH is empty
               file-system-check storm DIRECTORY SEED      synchronized writes for ever, a dot for each

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
        case "shadow":
            guard let numbers = numbers(arguments, [1, 20_000, 1]) else { return explain() }
            var shadow = FileSystemShadow(seed: numbers[0])
            (shadow.operations, shadow.threads) = (Int(numbers[1]), Int(numbers[2]))
            try shadow.run(in: Path(arguments[1]))
            return 0
        case "tree":
            guard let numbers = numbers(arguments, [1, 20_000, 1]) else { return explain() }
            var tree = FileSystemTree(seed: numbers[0])
            (tree.operations, tree.threads) = (Int(numbers[1]), Int(numbers[2]))
            try tree.run(in: Path(arguments[1]))
            return 0
        case "storm":
            guard arguments.count == 3, let seed = UInt64(arguments[2]) else { return explain() }
            // One byte for each batch that is durable. The pipe is not buffered.
            try WriteStorm.run(in: Path(arguments[1]), seed: seed) {
                try FileHandle.standardOutput.write(contentsOf: Data([0x2E]))
            }
            return 0
        case "programs":
            guard arguments.count >= 3 else { return explain() }
            return try programs(Path(arguments[1]), scratch: arguments[2], arguments.dropFirst(3).first)
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

    private static func programs(_ path: Path, scratch: String, _ name: String?) throws -> Int32 {
        var failed: Int32 = 0
        for program in RealPrograms.all where name == nil || program.name == name {
            let own = Path(scratch) / Path(program.name)
            try TestDirectory(Path(scratch)).makeDirectory(Path(program.name))
            do {
                try program.run(in: path, scratch: own)
                write("works: \(program)\n", to: .standardOutput)
            } catch {
                failed = 1
                write("FAILS: \(program): \(error)\n", to: .standardOutput)
                try TestDirectory(path).empty()
            }
            try TestDirectory(Path(scratch)).empty()
        }
        return failed
    }

    /// The numbers behind command and directory, with what is left out as it is without; nil if one cannot be parsed.
    private static func numbers(_ arguments: [String], _ otherwise: [UInt64]) -> [UInt64]? {
        let texts = arguments.dropFirst(2)
        let numbers = texts.compactMap { UInt64($0) }
        guard numbers.count == texts.count, numbers.count <= otherwise.count, !numbers.dropFirst().contains(0),
            numbers.dropFirst().allSatisfy({ $0 <= 1 << 40 })
        else { return nil }
        return numbers + otherwise.dropFirst(numbers.count)
    }

    private static func explain() -> Int32 {
        write(usage, to: .standardError)
        return 2
    }

    private static func write(_ text: String, to handle: FileHandle) {
        try? handle.write(contentsOf: Data(text.utf8))
    }
}
