import LatchkeySecretMemory

/// The meaning of each column of an export: of a browser, of another password manager, or of this tool.
///
/// Chrome and its like: `name,url,username,password[,note]`; Firefox: `"url","username","password","httpRealm",…`;
/// Safari: `Title,URL,Username,Password,Notes,OTPAuth`; Proton Pass: `type,name,url,email,username,password,…`; KeePassXC: `"Group","Title","Username","Password","URL","Notes",
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
    /// The account where the column of accounts is empty.
    package let email: Int?
    package let passwordHex: Int?
    package let carried: Int?
    private let names: [String]
    /// The columns that no attribute takes, but for the bookkeeping of known exporters.
    private let others: [Int]

    package init(names: [String], line: Int) throws(TransferFailure) {
        let plain = names.map { $0.lowercased() }
        guard Set(plain).count == plain.count else { throw TransferFailure(.duplicateColumn, line: line) }
        /// The first of the names that there is.
        func index(_ candidates: String...) -> Int? {
            candidates.lazy.compactMap { plain.firstIndex(of: $0) }.first
        }
        guard let url = index("url", "login_uri"), let username = index("username", "login_username", "email"),
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
        let email = index("email")
        self.email = email == username ? nil : email
        self.passwordHex = index("passwordhex")
        self.carried = index("latchkey")
        self.names = names
        let bookkeeping = KnownExporter.bookkeeping(in: plain)
        let taken = [url, username, password, name, note, realm, email, passwordHex, carried]
        others = names.indices.filter { !taken.contains($0) && !bookkeeping.contains(plain[$0]) }
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
        for record in records.dropFirst() {
            guard record.fields.count == header.fields.count else {
                throw TransferFailure(.wrongFieldCount, line: record.line)
            }
            guard let password = try unsafe columns.password(record, in: bytes) else {
                file.leave(LeftPart(line: record.line, .withoutPassword))
                continue
            }
            guard file.add(password, line: record.line) else { continue }
            let left = try unsafe columns.notTaken(of: record, password, in: bytes)
            if !left.isEmpty { file.leave(LeftPart(line: record.line, .columns(left))) }
            let address = try unsafe text(record.fields[columns.url], in: bytes, line: record.line)
            file.noteAddress(address, password, line: record.line)
        }
        return file
    }

    /// The names of the columns with a value that the item of a record does not have.
    private func notTaken(
        of record: CSVReader.Record, _ password: ImportedPassword, in bytes: UnsafeRawBufferPointer
    ) throws(TransferFailure) -> [String] {
        var left = others.filter { unsafe !record.fields[$0].isBlank(in: bytes) }
        if let email, try unsafe Self.text(record.fields[email], in: bytes, line: record.line) != password.account,
            unsafe !record.fields[email].isBlank(in: bytes)
        {
            left.append(email)
        }
        // A realm is an attribute of servers.
        if let realm, case .service = password.place, unsafe !record.fields[realm].isBlank(in: bytes) {
            left.append(realm)
        }
        return left.sorted().map { names[$0] }
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
        let username = try value(username)
        return ImportedPassword(
            address: try value(url), title: try value(name), account: username.isEmpty ? try value(email) : username,
            realm: try value(realm), comment: try value(note), secret: secret, carried: carried.isEmpty ? nil : carried)
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
