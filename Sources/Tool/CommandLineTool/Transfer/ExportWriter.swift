import LatchkeyItemModel
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

        var itemClass: String {
            if case .string(let name)? = attributes["class"] { return name }
            return attributes[.server] == nil ? "genp" : "inet"
        }

        /// An attribute as text; empty where it has none, or one that no file of text can hold.
        func text(_ key: AttributeName) -> String {
            switch attributes[key] {
            case .string(let text)?: text.utf8.contains(0) ? "" : text
            case .integer(let number)?: String(number)
            default: ""
            }
        }

        /// Returns true if ``text(_:)`` says all of an attribute.
        func isText(_ key: AttributeName) -> Bool {
            switch attributes[key] {
            case nil, .integer?: true
            case .string(let text)?: !text.utf8.contains(0)
            case .data(let bytes)?: bytes.isEmpty
            default: false
            }
        }

        /// True if a netrc file can name it: by a server, and by an account if it has one.
        var isNamedInText: Bool { !text(.server).isEmpty && isText(.account) }
    }

    /// One record of a CSV file.
    package struct CSVRecord: Sendable {
        /// Nil if the secret is not text: then it is in the column `passwordHex`.
        let password: SecretBox?
        let secret: SecretBox
        let texts: [String]
        let note: String
        package let carried: CarriedAttributes
        package var isText: Bool { password != nil }
        /// True if an attribute is bytes, or has a zero byte: then it is in the column `latchkey` alone.
        let hidesAttributes: Bool

        /// Nil if an import would not take the record back: it is too large.
        package init?(_ item: Item) {
            let isInternet = item.itemClass == InternetDescription.itemClass
            let label = item.text(.label)
            let name = label.isEmpty ? item.text(isInternet ? .server : .service) : label
            let url = isInternet ? ExportWriter.url(item) : item.text(.service)
            texts = [name, url, item.text(.account)]
            let shown: [AttributeName] =
                isInternet ? [.server, .path, .account, .label, .comment] : [.service, .account, .label, .comment]
            hidesAttributes = !shown.allSatisfy(item.isText)
            note = item.text(.comment)
            secret = item.secret
            let isText = SecretText.isUTF8(secret, withControls: SecretText.lineControls)
            password = isText ? ExportWriter.doublingQuotes(secret) : nil
            let plain = ImportedPassword(address: url, title: name, account: texts[2], comment: note, secret: secret)
            carried = CarriedAttributes(itemClass: item.itemClass, attributes: item.attributes, plain: plain)
            let counts = (texts + [note, carried.text]).map(\.utf8.count) + [password?.count ?? 2 * secret.count]
            guard counts.allSatisfy({ $0 <= TransferLimits.fieldByteCount }) else { return nil }
        }
    }

    /// A complete file as browsers import it: an internet password by its URL, a generic one by its service. Columns of
    /// our own hold the rest, and are only there if an item needs them.
    package static func csv(_ records: [CSVRecord]) -> [Report.Piece] {
        let hasHex = records.contains { !$0.isText }
        let carries = records.contains { !$0.carried.isEmpty }
        let header = csvHeader + (hasHex ? ",passwordHex" : "") + (carries ? ",latchkey" : "") + "\r\n"
        return records.reduce(into: [inFile(header)]) { pieces, record in
            pieces.append(inFile(record.texts.map(csvField).joined(separator: ",") + ","))
            if let password = record.password { pieces += [inFile("\""), .secret(password), inFile("\"")] }
            pieces.append(inFile("," + csvField(record.note)))
            if hasHex {
                pieces.append(inFile(","))
                if !record.isText { pieces.append(.secret(SecretText.hexadecimal(record.secret))) }
            }
            pieces.append(inFile((carries ? "," + record.carried.text : "") + "\r\n"))
        }
    }

    package static let csvHeader = "name,url,username,password,note"

    /// Nil if a netrc file cannot hold the item: it knows machines and text only. An item without its account would be
    /// another one.
    package static func netrc(_ item: Item) -> [Report.Piece]? {
        guard item.isNamedInText, item.secret.count <= TransferLimits.fieldByteCount / 2,
            SecretText.isUTF8(item.secret, withControls: SecretText.lineControls),
            let password = netrcToken(item.secret)
        else { return nil }
        let texts = [item.text(.server), item.text(.account)].map { netrcToken(SecretBox(copying: Array($0.utf8))) }
        guard let name = texts[0], let login = texts[1] else { return nil }
        var pieces: [Report.Piece] = [inFile("machine "), .secret(name)]
        if !item.text(.account).isEmpty { pieces += [inFile(" login "), .secret(login)] }
        return pieces + [inFile(" password "), .secret(password), inFile("\n")]
    }

    /// A piece that a program reads: nothing in it is escaped.
    private static func inFile(_ text: String) -> Report.Piece { .bytes(Array(text.utf8)) }

    static func url(_ item: Item) -> String {
        let code = item.text(.protocol)
        let scheme = ProtocolName.scheme(of: code) ?? "https"
        let port = item.text(.port)
        return "\(scheme)://\(item.text(.server))\(port.isEmpty || port == "0" ? "" : ":" + port)\(item.text(.path))"
    }

    static func csvField(_ text: String) -> String {
        // By bytes: as characters, a carriage return with a newline behind it is neither of the two.
        let special: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "\""), 0x0A, 0x0D]
        guard text.utf8.contains(where: special.contains) else { return text }
        // By scalars: as a character, a quotation mark with a combining mark behind it is another one.
        let parts = text.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"" + parts.map { String($0) }.joined(separator: "\"\"") + "\""
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

    /// The secret with some of its bytes replaced by at most two; the replacements are not secret by themselves.
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
