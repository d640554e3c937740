internal import LatchkeyPropertyListDER

/// A record before sealing, or after opening: its fields, the attributes of the item, and the extent of its secret.
///
/// Secrets stay outside of the property list, so that only memory for secrets contains them.
package struct PlainRecord: Hashable, Sendable {
    package let record: SyncRecord
    /// Where the record was published: in parts of snapshots only.
    package let dot: Dot?
    /// The encoded attributes of a live item. The core does not look into them.
    package let attributes: [UInt8]
    /// The bytes of the secret: in the plaintext after opening. Empty for records without content.
    package let secret: Range<Int>

    package init(_ record: SyncRecord, dot: Dot? = nil, attributes: [UInt8] = [], secretByteCount: Int = 0) {
        self.init(record, dot: dot, attributes: attributes, secret: 0..<secretByteCount)
    }

    init(_ record: SyncRecord, dot: Dot?, attributes: [UInt8], secret: Range<Int>) {
        self.record = record
        self.dot = dot
        self.attributes = attributes
        self.secret = secret
    }
}

/// The plaintext of a segment or of a part of a snapshot, as the pieces from which the environment puts it together.
package struct RecordPlaintext: Hashable, Sendable {
    package enum Piece: Hashable, Sendable {
        case bytes([UInt8])
        /// The secret of a record. Records count from 0.
        case secret(record: Int, byteCount: Int)
    }

    package let pieces: [Piece]
    /// Of all pieces.
    package let byteCount: Int

    package init(_ records: [PlainRecord]) throws(StatementFailure) {
        guard records.count <= ObjectLimits.records else {
            throw .tooMany(field: "records", found: records.count, limit: ObjectLimits.records)
        }
        var pieces = [Piece.bytes(UInt16(records.count).bigEndianBytes)]
        var count = 2
        for (position, plain) in records.enumerated() {
            let fields = DERWriter.encode(plain.value)
            guard fields.count + plain.secret.count <= ObjectLimits.recordByteCount else {
                throw .tooMany(
                    field: "i", found: fields.count + plain.secret.count, limit: ObjectLimits.recordByteCount)
            }
            pieces.append(
                .bytes(
                    UInt32(fields.count).bigEndianBytes + fields + UInt32(plain.secret.count).bigEndianBytes))
            if !plain.secret.isEmpty { pieces.append(.secret(record: position, byteCount: plain.secret.count)) }
            count += 8 + fields.count + plain.secret.count
        }
        byteCount = count
        self.pieces = pieces
    }

    /// Parses the plaintext of a sealed object whose author is not trusted with its form.
    /// - Parameter name: the object, which the places of contents name.
    package static func records(
        in plaintext: UnsafeRawBufferPointer, of name: ObjectName
    ) throws(StatementFailure) -> [PlainRecord] {
        var position = 0
        func number(_ width: Int) throws(StatementFailure) -> Int {
            guard plaintext.count - position >= width else { throw .object(.truncated) }
            defer { position += width }
            return unsafe plaintext[position..<position + width].reduce(0) { $0 << 8 | Int($1) }
        }
        let count = try number(2)
        guard count <= ObjectLimits.records else {
            throw .tooMany(field: "records", found: count, limit: ObjectLimits.records)
        }
        var records: [PlainRecord] = []
        for index in 0..<count {
            let fieldCount = try number(4)
            guard fieldCount <= plaintext.count - position else { throw .object(.truncated) }
            let fields = unsafe UnsafeRawBufferPointer(rebasing: plaintext[position..<position + fieldCount])
            position += fieldCount
            let secretCount = try number(4)
            guard secretCount <= plaintext.count - position else { throw .object(.truncated) }
            guard fieldCount + secretCount <= ObjectLimits.recordByteCount else {
                throw .tooMany(field: "i", found: fieldCount + secretCount, limit: ObjectLimits.recordByteCount)
            }
            let secret = position..<position + secretCount
            position += secretCount
            records.append(try unsafe PlainRecord(parsing: fields, secret: secret, place: .record(index, of: name)))
        }
        guard plaintext.count == position else { throw .object(.trailingBytes(plaintext.count - position)) }
        return records
    }
}
