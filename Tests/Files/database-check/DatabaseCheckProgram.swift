import CLatchkeyFaultPoint
import Foundation
import LatchkeyTestSupport

/// Ends, or disturbs, transactions on a protected database at each call of the system below SQLite, and compares what is
/// left with what was committed.
@main
enum DatabaseCheckProgram {
    private static let usage = """
        usage: database-check kills MODE [EVERY]     killed before each call that changes a file
               database-check power MODE [EVERY]     the same with a loss of power: what is not synchronized may be lost
               database-check faults MODE [EVERY]    each call fails, once or with all that follow
        With EVERY only each such call counts, from the first on: 6 for the first, the seventh, and so on.
        MODE is a journal mode: delete, truncate, persist, wal. With a plus sign behind it each transaction is over two
        databases (kills and power; not with wal, whose transactions over two databases are two).

        """

    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        var every: UInt64 = 1
        if arguments.count == 3, let given = arguments.last.flatMap({ UInt64($0) }), given > 0 {
            every = given
            arguments.removeLast()
        }
        do {
            switch (arguments.first, arguments.count) {
            case ("run", 5):
                try run(
                    in: arguments[1], mode: arguments[2], killedBefore: UInt64(arguments[3]) ?? 0,
                    losesPower: arguments[4] == "power")
            case ("kills", 2), ("power", 2):
                var call: UInt64 = 1
                var (isKilled, removedLists, kills) = (true, 0, 0)
                while isKilled {
                    let outcome = try kill(arguments[0], mode: arguments[1], before: call)
                    isKilled = outcome.isKilled
                    if outcome.hasRemovedList { removedLists += 1 }
                    kills += isKilled ? 1 : 0
                    call += every
                }
                print("killed before \(kills) calls")
                // Two of the calls remove one, which is less than a part of them can be sure to meet.
                guard !arguments[1].hasSuffix("+") || removedLists > 0 || every > 1 else {
                    throw Finding("\(arguments[1]): no list of journals was removed")
                }
            case ("faults", 2):
                var count = 0
                for (error, failures) in [(EIO, 1), (EIO, UInt64.max), (EROFS, .max), (ENOSPC, .max)] {
                    count += try fail(mode: arguments[1], error, failures, every: every)
                }
                print("\(count) faults")
            default:
                try FileHandle.standardError.write(contentsOf: Data(usage.utf8))
                exit(2)
            }
        } catch {
            print("database-check \(arguments.joined(separator: " ")): \(error)")
            exit(1)
        }
    }

    // MARK: Kills

    /// - Returns: whether the process was killed, or ended by itself, and whether a list of journals was removed then.
    private static func kill(
        _ kind: String, mode: String, before call: UInt64
    ) throws -> (isKilled: Bool, hasRemovedList: Bool) {
        let folder = try Scratch()
        let trial = try DatabaseTrial(in: folder.path, mode: mode, isNew: true)
        defer { trial.close() }
        try trial.makeDatabase()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
        process.arguments = ["run", folder.path, mode, "\(call)", kind]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let done = try output.fileHandleForReading.readToEnd()?.count ?? 0
        process.waitUntilExit()
        let isKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        let context = "\(mode), \(kind) before call \(call)"
        guard isKilled || process.terminationStatus == 0 else { throw Finding("\(context): it failed") }
        if trial.isTogether { return (isKilled, try trial.checkTogether(committed: done, context)) }
        try trial.check(committed: done, context)
        return (isKilled, false)
    }

    /// The process that is killed. It writes a byte for each transaction that is committed.
    private static func run(
        in folder: String, mode: String, killedBefore call: UInt64, losesPower: Bool
    ) throws {
        let trial = try DatabaseTrial(in: folder, mode: mode, isNew: false)
        let database = try trial.open()
        if losesPower {
            lkfp_lose_power_before(call, call, trial.folder)
        } else {
            lkfp_kill_before(call)
        }
        for transaction in trial.transactions {
            try database.run(transaction)
            try FileHandle.standardOutput.write(contentsOf: Data([0x2E]))
        }
        database.close()
        lkfp_kill_before(0)
        trial.close()
    }

    // MARK: Faults

    private static func fail(mode: String, _ error: Int32, _ failures: UInt64, every: UInt64) throws -> Int {
        let folder = try Scratch()
        let trial = try DatabaseTrial(in: folder.path, mode: mode, isNew: true)
        defer { trial.close() }
        var (call, count): (UInt64, Int) = (1, 0)
        while true {
            try trial.makeDatabase()
            let context = "\(mode), error \(error) at \(failures == 1 ? "" : "and after ")call \(call)"
            let (committed, isReached) = try disturbed(trial, error, from: call, failures, context)
            try trial.check(committed: committed, mayHaveMore: false, context)
            guard isReached else { return count }
            count += 1
            call += every
        }
    }

    /// Runs transactions until one fails, and goes on without failures on the same connections. Returns the number of
    /// those that are in the database then.
    private static func disturbed(
        _ trial: DatabaseTrial, _ error: Int32, from call: UInt64, _ failures: UInt64, _ context: String
    ) throws -> (committed: Int, isReached: Bool) {
        let (writer, reader) = (try trial.open(), try trial.open())
        defer {
            lkfp_fail_from(0, 0, 0)
            reader.close()
            writer.close()
        }
        // Pages and the index of a log in memory.
        _ = try reader.rows()
        lkfp_fail_from(call, failures, error)
        var done = 0
        for transaction in trial.transactions {
            guard (try? writer.run(transaction)) != nil else { break }
            done += 1
        }
        let isReached = lkfp_calls() >= call
        lkfp_fail_from(0, 0, 0)
        writer.rollBack()
        // A commit that failed is in the database as a whole, or not at all, and for every connection alike.
        let found = try trial.committed(
            in: writer.rows(), done...min(done + 1, trial.transactions.count), context)
        let (read, written) = (try reader.rows(), try writer.rows())
        guard read == written else {
            throw Finding(
                "\(context), after \(done) transactions and then \(found): one connection has \(read.count) rows, the "
                    + "other \(written.count)")
        }
        guard try writer.isIntact() else { throw Finding("\(context): the database is damaged") }
        // The connections go on.
        for transaction in trial.transactions.dropFirst(found) { try writer.run(transaction) }
        return (trial.transactions.count, isReached)
    }
}

/// A directory that is gone with its last owner.
private final class Scratch {
    let path = NSTemporaryDirectory() + "latchkey-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
