package import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Writes items in the files that other programs read. Pieces, so that secrets never become text.
package enum ExportWriter {
    /// An item on its way out.
    package struct Item: Sendable {
        package let attributes: [String: PropertyValue]
        package let secret: SecretBox

        package init(attributes: [String: PropertyValue], secret: SecretBox) {
            self.attributes = attributes
            self.secret = secret
        }

        func text(_ key: String) -> String {
            switch attributes[key] {
            case .string(let text)?: text
            case .integer(let number)?: String(number)
            default: ""
            }
        }
    }

    package static let csvHeader = "name,url,username,password,note\r\n"

    /// One record as browsers import it: an internet password by its URL, a generic one by its service.
    package static func csv(_ item: Item) -> [Report.Piece] {
        let isInternet = item.attributes["srvr"] != nil
        let name = item.text("labl").isEmpty ? item.text(isInternet ? "srvr" : "svce") : item.text("labl")
        let url = isInternet ? self.url(item) : item.text("svce")
        let before = [name, url, item.text("acct")].map(csvField).joined(separator: ",")
        return [
            .bytes(Array((before + ",\"").utf8)), .secret(doublingQuotes(item.secret)),
            .bytes(Array("\",\(csvField(item.text("icmt")))\r\n".utf8)),
        ]
    }

    /// Nil if a netrc file cannot hold the item: it knows machines only, and secrets in one line.
    package static func netrc(_ item: Item) -> [Report.Piece]? {
        let machine = item.text("srvr")
        guard !machine.isEmpty, let password = netrcToken(item.secret) else { return nil }
        let texts = [machine, item.text("acct")].map { netrcToken(SecretBox(copying: Array($0.utf8))) }
        guard let name = texts[0], let login = texts[1] else { return nil }
        var pieces: [Report.Piece] = [.text("machine "), .secret(name)]
        if !item.text("acct").isEmpty { pieces += [.text(" login "), .secret(login)] }
        return pieces + [.text(" password "), .secret(password), .text("\n")]
    }

    static func url(_ item: Item) -> String {
        let code = item.text("ptcl")
        let scheme = ProtocolName.scheme(of: code) ?? "https"
        let port = item.text("port")
        return "\(scheme)://\(item.text("srvr"))\(port.isEmpty || port == "0" ? "" : ":" + port)\(item.text("path"))"
    }

    static func csvField(_ text: String) -> String {
        // By bytes: as characters, a carriage return with a newline behind it is neither of the two.
        let special: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D]
        guard text.utf8.contains(where: special.contains) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    static func doublingQuotes(_ secret: SecretBox) -> SecretBox {
        replacing(in: secret) { $0 == UInt8(ascii: "\"") ? [$0, $0] : nil }
    }

    /// A word of a netrc file, in quotation marks where it needs them. Nil for what no reader would take back.
    static func netrcToken(_ secret: SecretBox) -> SecretBox? {
        let special: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "#")]
        let (isPlain, hasZero) = unsafe secret.withBytes { bytes in
            unsafe (!bytes.isEmpty && !bytes.contains { special.contains($0) }, unsafe bytes.contains(0))
        }
        guard !hasZero else { return nil }
        if isPlain { return secret }
        let inside = replacing(in: secret) { byte in
            switch byte {
            case UInt8(ascii: "\n"): Array("\\n".utf8)
            case UInt8(ascii: "\r"): Array("\\r".utf8)
            case UInt8(ascii: "\t"): Array("\\t".utf8)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
            default: nil
            }
        }
        let mark = SecretBox(copying: [UInt8(ascii: "\"")])
        return mark.appending(inside, count: inside.count).appending(mark, count: 1)
    }

    /// The secret with some of its bytes replaced by at most two; what replaces them is no secret by itself.
    private static func replacing(in secret: SecretBox, _ replacement: (UInt8) -> [UInt8]?) -> SecretBox {
        var count = 0
        let room = unsafe secret.withBytes { bytes in
            unsafe SecretBox(count: 2 * bytes.count) { room in
                for index in bytes.indices {
                    let byte = unsafe bytes[index]
                    guard let other = replacement(byte) else {
                        unsafe room[count] = byte
                        count += 1
                        continue
                    }
                    for byte in other {
                        unsafe room[count] = byte
                        count += 1
                    }
                }
            }
        }
        return room.prefix(count)
    }
}
