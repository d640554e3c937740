/// An object of the store: its content || signature length (2, big-endian) || signature.
package struct ObjectFrame: Hashable, Sendable {
    package let content: ObjectContent
    package let signature: [UInt8]

    package init(_ content: ObjectContent, signature: [UInt8]) throws(ObjectFailure) {
        let count =
            ObjectContent.headerByteCount + content.body.count + ObjectContent.signatureLengthByteCount
            + signature.count
        guard count <= content.kind.byteLimit else { throw .tooLarge(found: count, limit: content.kind.byteLimit) }
        guard signature.count <= Int(UInt16.max) else {
            throw .tooLarge(found: signature.count, limit: Int(UInt16.max))
        }
        self.content = content
        self.signature = signature
    }

    /// Splits unchecked bytes. Neither the body nor the signature is examined.
    package init(parsing bytes: [UInt8]) throws(ObjectFailure) {
        let header = ObjectContent.headerByteCount
        guard bytes.starts(with: ObjectContent.magic) else { throw .notObject }
        guard bytes.count >= header else { throw .truncated }
        guard bytes[4] == ObjectContent.version else { throw .unknownVersion(bytes[4]) }
        guard let kind = ObjectKind(rawValue: bytes[5]) else { throw .unknownKind(bytes[5]) }
        guard bytes.count <= kind.byteLimit else { throw .tooLarge(found: bytes.count, limit: kind.byteLimit) }
        let bodyCount = Int(UInt32(bigEndianBytes: bytes[6..<header]) ?? 0)
        let (bodyEnd, lengthByteCount) = (header + bodyCount, ObjectContent.signatureLengthByteCount)
        guard bytes.count >= bodyEnd + lengthByteCount else { throw .truncated }
        let signatureCount = Int(UInt16(bigEndianBytes: bytes[bodyEnd..<bodyEnd + lengthByteCount]) ?? 0)
        let end = bodyEnd + lengthByteCount + signatureCount
        guard bytes.count >= end else { throw .truncated }
        guard bytes.count == end else { throw .trailingBytes(bytes.count - end) }
        content = try ObjectContent(kind: kind, body: Array(bytes[header..<bodyEnd]))
        signature = Array(bytes[(bodyEnd + lengthByteCount)...])
    }

    package var bytes: [UInt8] {
        content.bytes + UInt16(signature.count).bigEndianBytes + signature
    }
}
