import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The passwords that an export writes, and the items that it leaves out.
package struct PasswordExport {
    /// The reason why an item is not in the file, as a part of the sentence about it.
    enum Reason: String, CaseIterable {
        case notOfServers =
            "not of a server: a netrc file has those of servers only; `latchkey export csv` has the others"
        case sameMachine =
            "of a machine and login that stand in the file already: a netrc file has no more than these two"
        case notNamed =
            "without a server, or with a server or account that is not text: `latchkey export csv` has such passwords"
        case notText =
            "with a secret that a netrc file cannot hold: it is not text, or too long; `latchkey export csv` has such secrets"
        case tooLarge = "larger than an import takes (1 MiB)"
        case fileFull =
            "beyond what an import takes (16 MiB, 100,000 records): export with --access-group, one group at a time"
        case withoutSecret = "without a secret"
    }

    let format: TransferFormat
    /// True if a prompt for some items was shown, or would have been, and did not open them.
    var lacksGuarded = false
    private var records: [ExportWriter.CSVRecord] = []
    private var lines: [[Report.Piece]] = []
    /// As bytes: two spellings that make the same characters are two machines or logins for a reader.
    private var machines: Set<[[UInt8]]> = []
    private var leftOut: [Reason: Int] = [:]
    /// Never less than the file will have: whether a CSV file has its two further columns is known at the end.
    private var byteCount: Int

    package init(format: TransferFormat) {
        self.format = format
        byteCount = format == .csv ? ExportWriter.csvHeader.utf8.count + Self.furtherColumns.utf8.count + 2 : 0
    }

    private static let furtherColumns = ",passwordHex,latchkey"

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

    package mutating func add(_ item: ExportWriter.Item) {
        switch format {
        case .csv:
            guard let record = ExportWriter.CSVRecord(item) else { return leaveOut(1, .tooLarge) }
            // The first piece is the header. Without the columns that other records need, it has two commas less.
            guard makeRoom(for: ExportWriter.csv([record]).dropFirst(), besides: 2) else {
                return leaveOut(1, .fileFull)
            }
            records.append(record)
        case .netrc:
            guard item.isNamedInText else { return leaveOut(1, .notNamed) }
            guard let line = ExportWriter.netrc(item) else { return leaveOut(1, .notText) }
            let machine = [Array(item.text(.server).utf8), Array(item.text(.account).utf8)]
            guard !machines.contains(machine) else { return leaveOut(1, .sameMachine) }
            guard makeRoom(for: line[...], besides: 0) else { return leaveOut(1, .fileFull) }
            machines.insert(machine)
            lines.append(line)
        }
    }

    /// False if an import would not take the file with these pieces.
    private mutating func makeRoom(for pieces: ArraySlice<Report.Piece>, besides more: Int) -> Bool {
        // The header of a CSV file is a record as well.
        guard count + (format == .csv ? 1 : 0) < TransferLimits.recordCount else { return false }
        let grown = pieces.reduce(byteCount + more) { $0 + $1.byteCount }
        guard grown <= TransferLimits.fileByteCount else { return false }
        byteCount = grown
        return true
    }

    private var count: Int { records.count + lines.count }
    private var isComplete: Bool { leftOut.isEmpty && !lacksGuarded }

    /// Lines for people about the items in the file and those left out.
    package var summary: String {
        var sentences = [ItemCount.text(count, "password") + " exported in clear."]
        let inHex = records.filter { !$0.isText }.count
        if inHex > 0 {
            sentences.append(
                "\(inHex) of them \(inHex == 1 ? "is" : "are") not text: see the column passwordHex, which only "
                    + "`latchkey import` reads.")
        }
        let hiding = records.filter(\.hidesAttributes).count
        if hiding > 0 {
            sentences.append(
                "\(hiding) of them \(hiding == 1 ? "has" : "have") a name or an account that is not text: see the column "
                    + "latchkey, which only `latchkey import` reads.")
        }
        for reason in Reason.allCases {
            if let count = leftOut[reason] {
                sentences.append("Left out: \(ItemCount.text(count, "password")), \(reason.rawValue).")
            }
        }
        if lacksGuarded {
            sentences.append("Left out: items that require authentication and were not opened.")
        }
        return sentences.map { "latchkey: \($0)\n" }.joined()
    }

    package var report: Report {
        let pieces = format == .csv ? ExportWriter.csv(records) : lines.flatMap { $0 }
        return Report(pieces: pieces, json: .null, status: isComplete ? .success : .partlyTransferred)
    }
}

extension Report.Piece {
    fileprivate var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .secret(let secret): secret.count
        }
    }
}
