import Foundation

/// The findings as a table for people, line by line, and as a file for programs.
final class Report {
    private let jsonPath: String?
    private var findings: [Finding] = []
    private let widths: [Int]

    init(of rows: [Row], jsonPath: String?) {
        self.jsonPath = jsonPath
        widths = [rows.map(\.name.count).max() ?? 0, 6, 8, 6, 9, 9, 22, 4, 6]
        line(["row", "ratio", "demand", "", "value", "limit", "unit", "runs", "spread"])
    }

    /// Adds a result to the table and to the file.
    func add(_ finding: Finding) throws {
        findings.append(finding)
        let met = finding.isMet.map { $0 ? "met" : "MISSED" } ?? ""
        line([
            finding.name, Self.number(finding.ratio), finding.demand.text ?? "", met,
            Self.number(finding.value), Self.number(finding.againstValue), finding.unit, String(finding.runs),
            "±" + Self.number(finding.spread * 100) + "%",
        ])
        if let jsonPath {
            try Self.json(findings).write(to: URL(fileURLWithPath: jsonPath), options: .atomic)
        }
    }

    /// Adds a row without a result, with the reason.
    func add(_ row: Row, _ reason: String) {
        line([row.name, reason])
    }

    /// Prints what each ratio is to, below the table.
    func finish() {
        print()
        for finding in findings {
            print("\(finding.name): against \(finding.against)")
            for note in finding.notes { print("  \(note)") }
        }
    }

    private func line(_ fields: [String]) {
        let padded = zip(fields, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
        print(padded.joined(separator: "  "))
        // Also into a file or a pipe at once.
        fflush(nil)
    }

    /// An array of objects: name, ratio, against, value, unit, runs, and what else is known. Where nothing is demanded,
    /// `demand` and `met` are null.
    private static func json(_ findings: [Finding]) throws -> Data {
        let objects: [[String: Any]] = findings.map { finding in
            [
                "name": finding.name, "ratio": finding.ratio, "against": finding.against, "value": finding.value,
                "unit": finding.unit, "runs": finding.runs, "againstValue": finding.againstValue,
                "spread": finding.spread, "demand": finding.demand.text ?? NSNull(), "met": finding.isMet ?? NSNull(),
                "notes": finding.notes,
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
    /// Nil for a figure.
    var text: String? {
        switch self {
        case .atLeast(let limit): ">= \(Report.number(limit))"
        case .atMost(let limit): "<= \(Report.number(limit))"
        case .figure: nil
        }
    }
}
