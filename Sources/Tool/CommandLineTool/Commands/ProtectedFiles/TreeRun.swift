import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// One pass over a tree, with its progress, its failures and its result.
final class TreeRun {
    /// Failures that a document names; all are counted.
    private static let namedFailures = 100

    private(set) var files = 0
    private(set) var directories = 0
    private(set) var bytes = 0
    private(set) var left: [LeftReason: TreePlan.Left] = [:]
    private(set) var damaged: [JSONValue] = []
    private(set) var failures: [(path: String, why: String)] = []
    private(set) var failureCount = 0
    private(set) var damagedCount = 0
    /// A failure after which no other file would succeed.
    private(set) var end: CommandFailure?
    private(set) var isInterrupted = false
    private let progress: ProgressLine?
    private let phase: String

    init(phase: String, total: UInt64, isQuiet: Bool) {
        self.phase = phase
        progress = ProgressLine(isQuiet: isQuiet)
        progress?.begin(phase, total: Int(clamping: total))
    }

    func run(
        _ deed: TreeWork.Deed, on tree: FileTree, _ vault: FileVault, excluding isExcluded: (OpenDirectory) -> Bool
    ) throws(CommandFailure) {
        Interruption.begin()
        let work = TreeWork(deed, vault) { [self] event in take(event, deed) && !interrupted() }
        do throws(AccessFailure) {
            try work.run(on: tree, excluding: isExcluded)
        } catch {
            throw CommandFailure(error, path: "The directory")
        }
        progress?.clear()
    }

    private func interrupted() -> Bool {
        if Interruption.isRequested { isInterrupted = true }
        return isInterrupted
    }

    private func take(_ event: TreeWork.Event, _ deed: TreeWork.Deed) -> Bool {
        switch event {
        case .advanced(let count):
            bytes += count
            progress?.advance(by: count)
        case .passed(let count): progress?.advance(by: Int(clamping: count))
        case .done(let place):
            if place == nil { directories += 1 } else { files += 1 }
        case .left(let path, let reason): left[reason, default: TreePlan.Left()].add(path)
        case .damaged(let place, let check):
            damagedCount += 1
            tell("\(PlainText.escaped(place.path)) is damaged: \(DamageWords.text(check.damaged)).")
            if damaged.count < Self.namedFailures { damaged.append(DamageWords.json(place.path, check.damaged)) }
        case .failed(let path, let failure):
            let told = CommandFailure(failure, path: path)
            if isLast(failure, deed) {
                end = told
                return false
            }
            failureCount += 1
            if failures.count < Self.namedFailures { failures.append((path, told.why ?? told.what)) }
            tell(told.what + (told.why.map { " " + $0 } ?? ""))
        }
        return true
    }

    /// True if the device, and not the file, is the reason.
    private func isLast(_ failure: ConversionFailure, _ deed: TreeWork.Deed) -> Bool {
        guard case .access(.refused(let refusal)) = failure else { return false }
        // Files of other classes may be open.
        if refusal.code == .interactionNotAllowed, case .protect = deed { return true }
        return refusal.refusal?.rule == .daemonUnreachable
    }

    private func tell(_ line: String) {
        progress?.clear()
        StandardError.write("latchkey: \(line)\n")
    }

    /// The exit code, the worst of what happened.
    var status: ExitReason {
        if let end { return end.status }
        if isInterrupted { return .interrupted }
        if damagedCount > 0 { return .fileDamaged }
        return failureCount > 0 || left.keys.contains(where: LeftWords.isShortfall) ? .partlyTransferred : .success
    }

    /// The end of every report.
    var lines: [String] {
        var lines: [String] = []
        if !left.isEmpty { lines += ["Left as they are:"] + LeftWords.lines(left) }
        if failureCount > 0 { lines.append("\(ItemCount.text(failureCount, "file")) failed, as said above.") }
        if let end {
            lines.append("It ended early: \(end.what)" + (end.why.map { " " + $0 } ?? ""))
            if let advice = end.advice { lines.append(advice) }
        }
        if end != nil || isInterrupted {
            lines.append(
                (isInterrupted ? "Interrupted. " : "")
                    + "Every file is as it was or done. The same command goes on where this one ended.")
        }
        return lines
    }

    var members: [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("files", .integer(Int64(files))), ("bytes", .integer(Int64(bytes))),
            ("directories", .integer(Int64(directories))), ("left", LeftWords.json(left)),
            (
                "failed",
                .array(
                    failures.map { path, why in .object([("path", .string(path)), ("why", .string(why))]) })
            ),
            ("failedCount", .integer(Int64(failureCount))), ("interrupted", .boolean(isInterrupted)),
        ]
        if case .object(let failure)? = end?.json { members += failure }
        return members
    }
}
