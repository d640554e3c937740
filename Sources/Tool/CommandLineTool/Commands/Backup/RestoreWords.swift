package import LatchkeyBackupRun
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// Words about what a restore or an import has done, also where it ended early.
package enum RestoreWords {
    /// Items by their outcome, as a line.
    static func items(_ report: BackupRestoration.Report) -> String {
        let parts = RestoredItems.Outcome.allCases.compactMap { outcome -> String? in
            guard outcome != .notChosen else { return nil }
            return report.items[outcome].map { "\($0) \(words(outcome))" }
        }
        return "  items: " + (parts.isEmpty ? "none" : parts.joined(separator: ", "))
    }

    /// Files by their outcome, as a line.
    static func files(_ report: BackupRestoration.Report) -> String {
        "  files: \(report.restored) new, \(report.replaced) replaced, \(report.identical) the same, "
            + "\(report.kept.count) kept (\(FileSize.text(Int(clamping: report.byteCount))))"
    }

    static func words(_ outcome: RestoredItems.Outcome) -> String {
        switch outcome {
        case .restored: "new"
        case .replaced: "replaced"
        case .identical: "the same"
        case .kept: "kept as they are here"
        case .otherDevice: "of the other device alone"
        case .notChosen: "not chosen"
        case .ignored: "that no restore brings"
        case .withheld: "withheld by the assurance level of their group"
        case .damaged: "damaged"
        }
    }

    package static func json(_ report: BackupRestoration.Report) -> JSONValue {
        .object(
            RestoredItems.Outcome.allCases.map { ($0.rawValue, .integer(Int64(report.items[$0, default: 0]))) })
    }

    /// The report of a run that ended early: what ended it, and what was done by then.
    ///
    /// - Parameters:
    ///   - verb: as "restored".
    ///   - members: the document of a run that came to its end.
    package static func ended(
        _ report: BackupRestoration.Report, _ failure: CommandFailure, verb: String, members: JSONValue
    ) -> Report {
        let why = failure.why.map { " " + PlainText.escaped($0) } ?? ""
        var lines = ["It ended early: \(PlainText.escaped(failure.what))\(why)"]
        if let advice = failure.advice { lines.append(PlainText.escaped(advice)) }
        if report.isEmpty {
            lines.append("Nothing was \(verb).")
        } else {
            lines += ["By then, it had \(verb):", items(report), files(report)]
        }
        if report.device.hasMadePlace {
            lines.append("The items of this device that a backup could hold were deleted first.")
        }
        if report.device.unansweredItems > 0 {
            lines.append(
                "The device did not answer about \(ItemCount.text(report.device.unansweredItems)): it may have taken them, and "
                    + "deleted others first if it was to replace them.")
        }
        lines += BackupWords.damage(report.failed, report.damagedItems)
        lines.append(
            report.device.hasMadePlace
                ? "Run it again: it deletes and restores the items anew, and goes on with the files."
                : "Run it again: it goes on where this one ended.")
        var document: [(String, JSONValue)] = []
        if case .object(let whole) = members { document += whole }
        if case .object(let error) = failure.json { document += error }
        return Report(lines.joined(separator: "\n"), json: .object(document), status: failure.status)
    }
}

extension CommandFailure {
    /// Runs the work of a restore. A failure before it has begun says that nothing was done.
    ///
    /// - Parameters:
    ///   - verb: as "restored".
    ///   - ended: makes the report of a run that ended early.
    static func ofRestore(
        _ directory: String, verb: String, ended: (BackupRestoration.Report, CommandFailure) -> Report,
        _ body: () throws -> Report
    ) throws(CommandFailure) -> Report {
        do {
            return try body()
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            let failure = RunFailure(any: error)
            guard case .unfinished(let report, _) = failure else { return try refused(failure, directory, verb) }
            return ended(report, CommandFailure(failure, directory))
        }
    }

    /// The report, or the failure, of a restore that has not begun.
    private static func refused(
        _ cause: RunFailure, _ directory: String, _ verb: String
    ) throws(CommandFailure) -> Report {
        if case .damage(let files, let items) = cause { return BackupWords.refusal(files, items, verb: verb) }
        let failure = CommandFailure(cause, directory)
        throw CommandFailure(
            failure.status, failure.what, why: failure.why,
            advice: [failure.advice, "Nothing was \(verb)."].compactMap { $0 }.joined(separator: " "),
            code: failure.code)
    }
}
