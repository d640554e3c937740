import LatchkeyItemModel

/// The column of a record that holds a URL, or several, or a plain name.
struct ImportedAddress {
    /// The first of several URLs, else the whole text.
    let used: String
    let hasMore: Bool

    init(_ text: String) {
        // Bitwarden writes several addresses with commas between them.
        let addresses = text.unicodeScalars.split(separator: ",")
        hasMore = addresses.count > 1 && addresses.allSatisfy { $0.contains("://".unicodeScalars) }
        used = hasMore ? String(addresses[0]) : text
    }

    /// Nil for a scheme that no constant of the SDK stands for.
    static func protocolCode(of parts: URLParts) -> String? {
        ProtocolName.codes.first { $0.scheme == parts.scheme }?.code
    }

    /// The parts that an import leaves out, as a sentence names them.
    static func leftOut(_ parts: URLParts) -> [String] {
        let scheme = protocolCode(of: parts) == nil ? ["the scheme"] : []
        return scheme + parts.leftOut.map { "the \($0.rawValue)" }
    }
}

/// Sentences about what an import does not take from the URLs of a file, line by line. They hold nothing of the URLs: a
/// user may have a password beside it, a query may be a token.
struct AddressNotes {
    static let limit = 10

    private var sentences: [String] = []

    mutating func add(_ text: String, _ password: ImportedPassword, _ line: Int) {
        // This tool's own export says the class and the path itself.
        guard password.carried?.itemClass == nil, password.carried?.changes.index(forKey: .path) == nil else { return }
        let address = ImportedAddress(text)
        do throws(URLParts.Fault) {
            let leftOut = ImportedAddress.leftOut(try URLParts(of: address.used))
            if let last = leftOut.last {
                let list = leftOut.count == 1 ? last : leftOut.dropLast().joined(separator: ", ") + " and " + last
                sentences.append(
                    "Line \(line): \(list) of the URL \(leftOut.count == 1 ? "was" : "were") not imported.")
            }
            if address.hasMore { sentences.append("Line \(line): the URLs behind the first were not imported.") }
        } catch {
            guard error != .notURL else { return }
            sentences.append(
                "Line \(line): the URL \(error.rawValue), so the item is a generic password with the whole URL as its "
                    + "service.")
        }
    }

    var notes: [String] {
        guard sentences.count > Self.limit else { return sentences }
        let rest = ItemCount.text(sentences.count - Self.limit, "further note")
        return sentences.prefix(Self.limit) + ["\(rest) of this kind left out here."]
    }
}
