import Foundation

/// The findings as a table for people and as a file for programs.
enum Report {
    static func table(_ findings: [Finding]) -> String {
        var rows = [["row", "ratio", "demand", "", "value", "limit", "unit", "runs", "spread"]]
        for finding in findings {
            rows.append([
                finding.name, number(finding.ratio), finding.demand.text, finding.isMet ? "met" : "MISSED",
                number(finding.value), number(finding.againstValue), finding.unit, String(finding.runs),
                "±" + number(finding.spread * 100) + "%",
            ])
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }
        let notes = findings.flatMap { finding in
            ["\(finding.name): against \(finding.against)"] + finding.notes.map { "  \($0)" }
        }
        return (lines + [""] + notes).joined(separator: "\n")
    }

    /// An array of objects: name, ratio, against, value, unit, runs, and what else is known.
    static func json(_ findings: [Finding]) throws -> Data {
        let objects: [[String: Any]] = findings.map { finding in
            [
                "name": finding.name, "ratio": finding.ratio, "against": finding.against, "value": finding.value,
                "unit": finding.unit, "runs": finding.runs, "againstValue": finding.againstValue,
                "spread": finding.spread, "demand": finding.demand.text, "met": finding.isMet, "notes": finding.notes,
            ]
        }
        return try JSONSerialization.data(withJSONObject: objects, options: [.prettyPrinted, .sortedKeys])
    }

    static func number(_ value: Double) -> String {
        switch abs(value) {
        case 1000...: String(format: "%.0f", value)
        case 10..<1000: String(format: "%.1f", value)
        default: String(format: "%.3g", value)
        }
    }
}

extension Finding.Demand {
    var text: String {
        switch self {
        case .atLeast(let limit): ">= \(Report.number(limit))"
        case .atMost(let limit): "<= \(Report.number(limit))"
        }
    }
}
