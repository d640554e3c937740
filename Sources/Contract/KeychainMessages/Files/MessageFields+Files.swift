import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Fields of questions about the keys of files and of their answers.
extension FieldWriter {
    /// Writes the number of the class.
    mutating func fileProtection(_ protection: FileProtection) {
        integer(Int64(protection.keyClass.rawValue))
    }

    mutating func wrappedFileKey(_ key: WrappedFileKey) {
        fileProtection(key.protection)
        data(key.identifier.bytes)
        data(key.bytes)
    }

    mutating func fileKeyRefusal(_ refusal: FileKeyRefusal) {
        integer(Int64(refusal.code.rawValue))
        value(refusal.refusal.map { MessageCoding.value(of: $0) } ?? .null)
    }
}

extension MessageFields {
    /// The number of files in one message.
    static let fileKeyCounts = 1...EnclaveLimits.keysPerBatch

    mutating func fileProtection() throws(MessageCodingFailure) -> FileProtection {
        let number = UInt8(exactly: try integer("class"))
        guard let protection = number.flatMap(KeyClass.init)?.fileProtection else { throw .badField("class") }
        return protection
    }

    mutating func fileIdentifier() throws(MessageCodingFailure) -> FileIdentifier {
        guard let identifier = FileIdentifier(try data("identifier")) else { throw .badField("identifier") }
        return identifier
    }

    mutating func wrappedFileKey() throws(MessageCodingFailure) -> WrappedFileKey {
        let protection = try fileProtection()
        let identifier = try fileIdentifier()
        guard let key = WrappedFileKey(try data("wrapped key"), of: identifier, protection) else {
            throw .badField("wrapped key")
        }
        return key
    }

    mutating func fileKey() throws(MessageCodingFailure) -> SecretBox {
        let key = try secret("key")
        guard key.count == EnclaveLimits.keyByteCount else { throw .badField("key") }
        return key
    }

    mutating func fileKeyRefusal() throws(MessageCodingFailure) -> FileKeyRefusal {
        let code = try MessageCoding.resultCode(&self)
        let refusal = try part("refusal").map { (part) throws(MessageCodingFailure) in
            try MessageCoding.refusal(part)
        }
        return FileKeyRefusal(code, refusal)
    }

    /// Takes a list with an element for each file.
    mutating func fileKeyElements<Element>(
        _ name: String, _ element: (inout MessageFields) throws(MessageCodingFailure) -> Element
    ) throws(MessageCodingFailure) -> [Element] {
        let elements = try elements(name, limit: Self.fileKeyCounts.upperBound, element)
        guard Self.fileKeyCounts.contains(elements.count) else { throw .badField(name) }
        return elements
    }
}
