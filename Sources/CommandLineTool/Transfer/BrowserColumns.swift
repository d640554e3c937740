import LatchkeySecretMemory

/// Which column of a browser's export is what.
///
/// Chrome and its like: `name,url,username,password[,note]`; Firefox: `"url","username","password","httpRealm",…`;
/// Safari: `Title,URL,Username,Password,Notes,OTPAuth`. The names decide, not the order.
package struct BrowserColumns: Sendable, Equatable {
    package let url: Int
    package let username: Int
    package let password: Int
    package let name: Int?
    package let note: Int?
    package let realm: Int?
    package let oneTimeCode: Int?

    package init(names: [String], line: Int) throws(TransferFailure) {
        let plain = names.map { $0.lowercased() }
        guard Set(plain).count == plain.count else { throw TransferFailure(.duplicateColumn, line: line) }
        func index(_ candidates: String...) -> Int? {
            plain.firstIndex { candidates.contains($0) }
        }
        guard let url = index("url"), let username = index("username"), let password = index("password") else {
            throw TransferFailure(.unknownColumns, line: line)
        }
        self.url = url
        self.username = username
        self.password = password
        self.name = index("name", "title")
        self.note = index("note", "notes")
        self.realm = index("httprealm")
        self.oneTimeCode = index("otpauth")
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
        for record in records.dropFirst() {
            guard record.fields.count == header.fields.count else {
                throw TransferFailure(.wrongFieldCount, line: record.line)
            }
            if let column = columns.oneTimeCode, !record.fields[column].range.isEmpty { oneTimeCodes += 1 }
            guard let password = try unsafe columns.password(record, in: bytes) else {
                empty += 1
                continue
            }
            file.passwords.append(password)
        }
        if empty > 0 { file.notes.append("\(empty) records without a password were left out.") }
        if oneTimeCodes > 0 {
            file.notes.append(
                "The keys for one-time codes of \(oneTimeCodes) records were not imported; keep the file.")
        }
        return file
    }

    /// Nil if the record has no password.
    private func password(
        _ record: CSVReader.Record, in bytes: UnsafeRawBufferPointer
    ) throws(TransferFailure) -> ImportedPassword? {
        let secret = unsafe record.fields[password].secret(in: bytes)
        guard secret.count > 0 else { return nil }
        func value(_ column: Int?) throws(TransferFailure) -> String {
            guard let column else { return "" }
            return try unsafe Self.text(record.fields[column], in: bytes, line: record.line)
        }
        let address = try value(url)
        let title = try value(name)
        let place: ImportedPassword.Place =
            if let parts = URLParts(address) {
                .server(
                    name: parts.host, protocolCode: ProtocolName.codes.first { $0.scheme == parts.scheme }?.code,
                    port: parts.port, path: parts.path, realm: try value(realm))
            } else {
                .service(address.isEmpty ? title : address)
            }
        return ImportedPassword(
            place: place, account: try value(username), label: title, comment: try value(note), secret: secret)
    }

    private static func text(
        _ field: CSVReader.Field, in bytes: UnsafeRawBufferPointer, line: Int
    ) throws(TransferFailure) -> String {
        guard let text = unsafe field.text(in: bytes) else { throw TransferFailure(.notUTF8, line: line) }
        return text
    }
}
