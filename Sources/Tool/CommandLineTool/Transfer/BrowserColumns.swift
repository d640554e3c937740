import LatchkeySecretMemory

/// The meaning of each column of an export: of a browser, of another password manager, or of this tool.
///
/// Chrome and its like: `name,url,username,password[,note]`; Firefox: `"url","username","password","httpRealm",…`;
/// Safari: `Title,URL,Username,Password,Notes,OTPAuth`; KeePassXC: `"Group","Title","Username","Password","URL","Notes",
/// "TOTP",…`; Bitwarden: `folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,
/// login_totp`. The names decide, not the order. The columns `passwordHex` and `latchkey` are this tool's own
/// (`Docs/Formats/csv-export.md`).
package struct BrowserColumns: Sendable, Equatable {
    package let url: Int
    package let username: Int
    package let password: Int
    package let name: Int?
    package let note: Int?
    package let realm: Int?
    package let oneTimeCode: Int?
    /// Further fields of a record that no attribute takes.
    package let moreFields: Int?
    package let passwordHex: Int?
    package let carried: Int?

    package init(names: [String], line: Int) throws(TransferFailure) {
        let plain = names.map { $0.lowercased() }
        guard Set(plain).count == plain.count else { throw TransferFailure(.duplicateColumn, line: line) }
        /// The first of the names that there is.
        func index(_ candidates: String...) -> Int? {
            candidates.lazy.compactMap { plain.firstIndex(of: $0) }.first
        }
        guard let url = index("url", "login_uri"), let username = index("username", "login_username"),
            let password = index("password", "login_password")
        else {
            throw TransferFailure(.unknownColumns, line: line)
        }
        self.url = url
        self.username = username
        self.password = password
        self.name = index("name", "title")
        self.note = index("note", "notes", "extra")
        self.realm = index("httprealm")
        self.oneTimeCode = index("otpauth", "totp", "login_totp")
        self.moreFields = index("fields")
        self.passwordHex = index("passwordhex")
        self.carried = index("latchkey")
    }

    /// Reads a whole export. Nothing is taken from a file that is wrong anywhere.
    package static func read(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) -> ImportedFile {
        let records = try unsafe CSVReader.records(of: bytes)
        guard let header = records.first else { throw TransferFailure(.noHeader) }
        let columns = try BrowserColumns(
            names: try header.fields.map { field throws(TransferFailure) in
                try unsafe text(field, in: bytes, line: header.line)
            }, line: header.line)
        var file = ImportedFile()
        var empty = 0
        var oneTimeCodes = 0
        var withMoreFields = 0
        var addresses = AddressNotes()
        for record in records.dropFirst() {
            guard record.fields.count == header.fields.count else {
                throw TransferFailure(.wrongFieldCount, line: record.line)
            }
            if let column = columns.oneTimeCode, !record.fields[column].range.isEmpty { oneTimeCodes += 1 }
            if let column = columns.moreFields, !record.fields[column].range.isEmpty { withMoreFields += 1 }
            guard let password = try unsafe columns.password(record, in: bytes) else {
                empty += 1
                continue
            }
            file.passwords.append(password)
            addresses.add(
                try unsafe text(record.fields[columns.url], in: bytes, line: record.line), password, record.line)
        }
        if empty > 0 {
            let verb = empty == 1 ? "was" : "were"
            file.notes.append("\(ItemCount.text(empty, "record")) without a password \(verb) left out.")
        }
        if oneTimeCodes > 0 {
            let records = ItemCount.text(oneTimeCodes, "record")
            file.notes.append("The keys for one-time codes of \(records) were not imported; keep the file.")
        }
        if withMoreFields > 0 {
            let records = ItemCount.text(withMoreFields, "record")
            file.notes.append("The further fields of \(records) were not imported; keep the file.")
        }
        file.notes += addresses.notes
        return file
    }

    /// Nil if the record has no password.
    private func password(
        _ record: CSVReader.Record, in bytes: UnsafeRawBufferPointer
    ) throws(TransferFailure) -> ImportedPassword? {
        guard let secret = try unsafe secret(of: record, in: bytes) else { return nil }
        func value(_ column: Int?) throws(TransferFailure) -> String {
            guard let column else { return "" }
            return try unsafe Self.text(record.fields[column], in: bytes, line: record.line)
        }
        guard let carried = CarriedAttributes(try value(carried)) else {
            throw TransferFailure(.badCarriedAttributes, line: record.line)
        }
        return ImportedPassword(
            address: try value(url), title: try value(name), account: try value(username), realm: try value(realm),
            comment: try value(note), secret: secret, carried: carried.isEmpty ? nil : carried)
    }

    private func secret(
        of record: CSVReader.Record, in bytes: UnsafeRawBufferPointer
    ) throws(TransferFailure) -> SecretBox? {
        let secret = unsafe record.fields[password].secret(in: bytes)
        guard let passwordHex, !record.fields[passwordHex].range.isEmpty else { return secret.count > 0 ? secret : nil }
        guard secret.count == 0,
            let decoded = try? unsafe record.fields[passwordHex].secret(in: bytes).decodedHexadecimal()
        else { throw TransferFailure(.badPasswordHex, line: record.line) }
        return decoded.count > 0 ? decoded : nil
    }

    private static func text(
        _ field: CSVReader.Field, in bytes: UnsafeRawBufferPointer, line: Int
    ) throws(TransferFailure) -> String {
        guard let text = unsafe field.text(in: bytes) else { throw TransferFailure(.notUTF8, line: line) }
        return text
    }
}

extension ImportedPassword {
    /// Makes a password of the columns of other programs: an address with a host gives an internet password, any other
    /// row a generic one.
    init(
        address: String, title: String, account: String, realm: String = "", comment: String, secret: SecretBox,
        carried: CarriedAttributes? = nil
    ) {
        let place: Place =
            if let parts = URLParts(ImportedAddress(address).used) {
                .server(
                    name: parts.host, protocolCode: ImportedAddress.protocolCode(of: parts),
                    port: parts.port, path: parts.path, realm: realm)
            } else {
                .service(address.isEmpty ? title : address)
            }
        self.init(place: place, account: account, label: title, comment: comment, secret: secret, carried: carried)
    }
}
