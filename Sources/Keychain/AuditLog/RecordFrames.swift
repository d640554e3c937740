/// The records in the bytes of one file: length, dictionary, digest.
struct RecordFrames {
    struct Frame: Hashable {
        let start: Int
        let dictionary: Range<Int>

        var end: Int { dictionary.upperBound + AuditRecord.Link.byteCount }
    }

    enum Step: Hashable {
        case frame(Frame)
        /// The end of the bytes.
        case end
        /// The rest is an incomplete record, or only zeros, as after a crash.
        case cut
        /// The length is not a valid length of a record.
        case badLength
    }

    static let lengthByteCount = 4

    let bytes: [UInt8]

    func step(at start: Int) -> Step {
        if start == bytes.count { return .end }
        if bytes[start...].allSatisfy({ $0 == 0 }) { return .cut }
        guard bytes.count - start >= Self.lengthByteCount else { return .cut }
        let count = (0..<Self.lengthByteCount).reduce(0) { $0 | Int(bytes[start + $1]) << ($1 * 8) }
        guard (1...AuditRecord.byteLimit).contains(count) else { return .badLength }
        let body = start + Self.lengthByteCount
        let frame = Frame(start: start, dictionary: body..<body + count)
        return frame.end <= bytes.count ? .frame(frame) : .cut
    }

    func digest(of frame: Frame) -> [UInt8] {
        Array(bytes[frame.dictionary.upperBound..<frame.end])
    }

    func record(of frame: Frame) -> AuditRecord? {
        AuditRecord(Array(bytes[frame.dictionary]))
    }

    /// Returns the bytes of a record for the file, and its link for the next record.
    static func frame(of record: AuditRecord) -> (bytes: [UInt8], link: AuditRecord.Link) {
        let dictionary = record.encoded()
        let digest = AuditRecord.digest(previous: record.previous, of: dictionary)
        let length = (0..<lengthByteCount).map { UInt8(truncatingIfNeeded: dictionary.count >> ($0 * 8)) }
        return (length + dictionary + digest, AuditRecord.Link(number: record.number, digest: digest))
    }
}
