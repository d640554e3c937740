extension MessageHeader {
    /// Returns the length of the header that begins with these bytes; nil if they are too few (two are enough).
    ///
    /// Needs no credentials: refuses a message that cannot be opened at the first byte that shows it.
    package static func byteCount(startingWith bytes: UnsafeRawBufferPointer) throws(MessageFailure) -> Int? {
        guard let version = unsafe bytes.first else { return nil }
        guard Version(rawValue: version) != nil else { throw .unknownHeader }
        guard bytes.count >= preambleByteCount else { return nil }
        let options = unsafe bytes[1]
        guard let kind = CredentialKind(rawValue: options) else { throw .unknownOptions(found: options) }
        return byteCount(kind)
    }

    /// Parses the header at the start of a message; more bytes may follow. ``byteCount`` of them are the header's.
    package init(reading bytes: UnsafeRawBufferPointer) throws(MessageFailure) {
        guard let length = unsafe try Self.byteCount(startingWith: bytes), bytes.count >= length,
            let version = unsafe Version(rawValue: bytes[0])
        else { throw .tooShort }
        let rest = unsafe Array(bytes[Self.preambleByteCount..<length])
        let saltsByteCount = rest.count - Self.vectorByteCount
        self.init(
            version: version,
            salts: saltsByteCount == 0
                ? nil
                : Salts(
                    encryption: Array(rest[..<Salts.byteCount]),
                    authentication: Array(rest[Salts.byteCount..<saltsByteCount])),
            initialisationVector: Array(rest[saltsByteCount...]))
    }
}
