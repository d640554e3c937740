import LatchkeyFileAccess
import LatchkeyKeybag

/// The plan of `latchkey file protect`, in words.
struct ProtectionPlan {
    let plan: TreePlan
    private let protection: FileProtection
    private let reclass: Bool

    init(_ plan: TreePlan, _ protection: FileProtection, reclass: Bool) {
        self.plan = plan
        self.protection = protection
        self.reclass = reclass
    }

    var text: String {
        var lines = [
            "\(amount(plan.clear)) in clear will get the class \(FileClassName.readable(protection)), and "
                + "\(ItemCount.text(plan.directories, "directory", "directories")) for new files."
        ]
        for (found, amount) in classes {
            let verb = found == protection ? "have it already" : reclass ? "will be changed" : "keep theirs (--reclass)"
            let name = found.map(FileClassName.readable) ?? "unknown"
            lines.append("  \(self.amount(amount)) of the class \(name): \(verb)")
        }
        if plan.onVolume.files > 0 {
            let verb = reclass ? "get this class" : "keep theirs (--reclass)"
            lines.append("  \(amount(plan.onVolume)) on a volume, with classes already: \(verb)")
        }
        if !plan.left.isEmpty { lines += ["Left as they are:"] + LeftWords.lines(plan.left) }
        if plan.clear.files > 0 {
            lines.append(
                "Other programs read protected files only on a volume: `latchkey file unprotect` stores them in clear again."
            )
        }
        return lines.joined(separator: "\n")
    }

    var json: JSONValue {
        .object([
            ("class", .string(protection.rawValue)), ("clear", Self.json(plan.clear)),
            ("onVolume", Self.json(plan.onVolume)),
            ("directories", .integer(Int64(plan.directories))), ("reclass", .boolean(reclass)),
            (
                "protected",
                .array(
                    classes.map { found, amount in
                        .object([
                            ("class", found.map { .string($0.rawValue) } ?? .null), ("amount", Self.json(amount)),
                        ])
                    })
            ), ("left", LeftWords.json(plan.left)),
        ])
    }

    private var classes: [(FileProtection?, TreePlan.Amount)] {
        let known = FileProtection.allCases.map { Optional($0) } + [nil]
        return known.compactMap { found in plan.protected[found].map { (found, $0) } }
    }

    private func amount(_ amount: TreePlan.Amount) -> String {
        "\(ItemCount.text(amount.files, "file")) (\(FileSize.text(Int(clamping: amount.bytes))))"
    }

    static func json(_ amount: TreePlan.Amount) -> JSONValue {
        .object([("files", .integer(Int64(amount.files))), ("bytes", .integer(Int64(clamping: amount.bytes)))])
    }
}
