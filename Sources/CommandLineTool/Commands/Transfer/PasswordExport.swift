import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The passwords that an export writes, and what it leaves out.
struct PasswordExport {
    /// Why an item is not in the file, as the sentence about it says it.
    enum Reason: String, CaseIterable {
        case notOfServers = "generic passwords: a netrc file has those of servers only; `latchkey export csv` has them"
        case sameMachine =
            "for a machine and login that stand in the file already: a netrc file has no more than these two"
        case notText =
            "with a secret that a netrc file cannot hold: it is not text, or too long; `latchkey export csv` has it"
        case tooLarge = "that are larger than an import takes (1 MiB)"
        case withoutSecret = "without a secret"
    }

    let format: TransferFormat
    /// Whether there are items that a person was asked for, or would have been, and did not open.
    var lacksGuarded = false
    private var records: [ExportWriter.CSVRecord] = []
    private var lines: [[Report.Piece]] = []
    private var machines: Set<[String]> = []
    private var leftOut: [Reason: Int] = [:]

    init(format: TransferFormat) {
        self.format = format
    }

    mutating func leaveOut(_ count: Int, _ reason: Reason) {
        if count > 0 { leftOut[reason, default: 0] += count }
    }

    mutating func add(_ part: KeychainReading.Part) {
        for attributes in part.attributes {
            guard case .secret(let index)? = attributes["v_Data"], part.secrets.indices.contains(index),
                part.secrets[index].count > 0
            else {
                leaveOut(1, .withoutSecret)
                continue
            }
            let named = attributes.merging(["class": .string(part.itemClass)]) { $1 }
            add(ExportWriter.Item(attributes: named, secret: part.secrets[index]))
        }
    }

    private mutating func add(_ item: ExportWriter.Item) {
        switch format {
        case .csv:
            guard let record = ExportWriter.CSVRecord(item) else { return leaveOut(1, .tooLarge) }
            records.append(record)
        case .netrc:
            guard let line = ExportWriter.netrc(item) else { return leaveOut(1, .notText) }
            guard machines.insert([item.text("srvr"), item.text("acct")]).inserted else {
                return leaveOut(1, .sameMachine)
            }
            lines.append(line)
        }
    }

    private var count: Int { records.count + lines.count }
    private var isComplete: Bool { leftOut.isEmpty && !lacksGuarded }

    /// Lines for people about what is in the file and what is not.
    var summary: String {
        var sentences = ["\(count) \(count == 1 ? "password" : "passwords") exported in clear."]
        let inHex = records.filter { !$0.isText }.count
        if inHex > 0 {
            sentences.append(
                "\(inHex) of them \(inHex == 1 ? "is" : "are") not text: see the column passwordHex, which only "
                    + "`latchkey import` reads.")
        }
        for reason in Reason.allCases {
            if let count = leftOut[reason] { sentences.append("Left out: \(count) \(reason.rawValue).") }
        }
        if lacksGuarded {
            sentences.append("Left out: items that ask for a person, who did not open them.")
        }
        return sentences.map { "latchkey: \($0)\n" }.joined()
    }

    var report: Report {
        let pieces = format == .csv ? ExportWriter.csv(records) : lines.flatMap { $0 }
        return Report(pieces: pieces, json: .null, status: isComplete ? .success : .partlyTransferred)
    }
}
