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

extension ImportedFile {
    /// Notes what an import does not take from the URL of a record. Nothing of the URL is shown: a user may have a password
    /// beside it, a query may be a token.
    mutating func noteAddress(_ text: String, _ password: ImportedPassword, line: Int) {
        // This tool's own export says the class and the path itself.
        guard password.carried?.itemClass == nil, password.carried?.changes.index(forKey: .path) == nil else { return }
        let address = ImportedAddress(text)
        do throws(URLParts.Fault) {
            let parts = try URLParts(of: address.used)
            let leftOut = ImportedAddress.leftOut(parts)
            if !leftOut.isEmpty {
                let part = LeftPart(line: line, .urlParts(leftOut))
                // The user in the address of an Android app is its signature, which a browser keeps for itself.
                if parts.scheme == "android" { remark(part.sentence) } else { leave(part) }
            }
            if address.hasMore { leave(LeftPart(line: line, .furtherURLs)) }
        } catch {
            guard error != .notURL else { return }
            remark(
                "Line \(line): the URL \(error.rawValue), so the item is a generic password with the whole URL as its "
                    + "service.")
        }
    }
}
