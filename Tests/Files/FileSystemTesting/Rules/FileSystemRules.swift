/// The table of rules that a file system has to keep for the programs of Linux to work on it.
package enum FileSystemRules {
    package static let all: [FileSystemRule] =
        openRules + dataRules + spaceRules + mapRules + directoryRules + listingRules + linkRules + renameRules
        + nameRules + statusRules + permissionRules + attributeRules + lockRules + specialRules

    /// The result of a file system for one rule.
    package struct Outcome: Sendable, CustomStringConvertible {
        package enum Verdict: Sendable, Equatable {
            case kept
            /// Refused as the rule allows it.
            case refused(String)
            case untried(String)
            case broken(String)
        }

        package let rule: String
        package let verdict: Verdict

        package var isBroken: Bool { if case .broken = verdict { true } else { false } }

        package var description: String {
            switch verdict {
            case .kept: "kept: \(rule)"
            case .refused(let reason): "refused: \(rule): \(reason)"
            case .untried(let reason): "untried: \(rule): \(reason)"
            case .broken(let reason): "BROKEN: \(rule): \(reason)"
            }
        }
    }

    /// Tries each rule in a new directory below `path`, which is there, and removes it again. For the rules about other
    /// users they have to be able to pass through `path` (mode 755, and `allow_other` for FUSE).
    /// - Parameters:
    ///   - otherProcess: the path of `file-system-check`.
    ///   - isWanted: chooses rules by their names.
    package static func run(
        in path: Path, otherProcess: String, isWanted: (String) -> Bool = { _ in true }
    ) -> [Outcome] {
        all.enumerated().filter { isWanted($1.name) }.map { index, rule in
            Outcome(rule: rule.name, verdict: verdict(rule, TestDirectory(path), "rule-\(index)", otherProcess))
        }
    }

    /// Only the rules that were broken.
    package static func failures(
        in path: Path, otherProcess: String, isWanted: (String) -> Bool = { _ in true }
    ) -> [Outcome] {
        run(in: path, otherProcess: otherProcess, isWanted: isWanted).filter(\.isBroken)
    }

    private static func verdict(
        _ rule: FileSystemRule, _ parent: TestDirectory, _ name: Path, _ otherProcess: String
    ) -> Outcome.Verdict {
        do {
            // Others pass through it: some rules are about other users.
            try parent.makeDirectory(name)
            try parent.changeMode(name, 0o755)
        } catch {
            return .broken("no new directory: \(error)")
        }
        var verdict = Outcome.Verdict.kept
        do {
            try rule.body(RuleStage(files: TestDirectory(parent.path / name), otherProcess: otherProcess))
        } catch let refusal as AllowedRefusal {
            verdict = .refused(refusal.reason)
        } catch let untried as UntriedRule {
            verdict = .untried(untried.reason)
        } catch {
            verdict = .broken("\(error)")
        }
        do {
            try parent.empty(name)
            try parent.removeDirectory(name)
        } catch {
            if case .broken = verdict { return verdict }
            return .broken("cannot be removed afterwards: \(error)")
        }
        return verdict
    }
}
