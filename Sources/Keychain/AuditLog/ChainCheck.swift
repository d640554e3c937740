/// Checks the chain of records in the bytes of one file.
struct ChainCheck {
    private(set) var link: AuditRecord.Link?
    private let file: String
    /// True if the first record may have an unknown predecessor, because the records before it were rotated away.
    private let mayCarryOn: Bool

    /// - Parameter link: the record that the first one must follow; nil if it is unknown.
    init(file: String, after link: AuditRecord.Link?, mayCarryOn: Bool) {
        self.file = file
        self.link = link
        self.mayCarryOn = mayCarryOn
    }

    /// Checks every record and calls `visit` for each intact one.
    mutating func follow(
        _ frames: RecordFrames, visit: (AuditRecord, _ digest: [UInt8]) -> Void
    ) throws(AuditFault) {
        var position = 0
        while true {
            switch frames.step(at: position) {
            case .end: return
            case .cut: throw fault(.cut)
            case .badLength: throw fault(.changed)
            case .frame(let frame):
                let digest = frames.digest(of: frame)
                guard let record = frames.record(of: frame),
                    AuditRecord.digest(previous: record.previous, of: Array(frames.bytes[frame.dictionary])) == digest
                else { throw fault(.changed) }
                try check(record, before: frame.end, of: frames)
                link = AuditRecord.Link(number: record.number, digest: digest)
                visit(record, digest)
                position = frame.end
            }
        }
    }

    /// Checks that a record with a correct digest belongs at this position, by its number and predecessor.
    private func check(
        _ record: AuditRecord, before end: Int, of frames: RecordFrames
    ) throws(AuditFault) {
        guard let link else { return try checkFirst(record) }
        let expected = link.number + 1
        if record.number > expected {
            throw fault(Self.has(expected, frames, from: end) ? .wrongOrder : .missingRecords)
        }
        if record.number < expected { throw fault(.wrongOrder) }
        // The record followed another record than the one before it now.
        if record.previous != link.digest { throw fault(.changed) }
    }

    private func checkFirst(_ record: AuditRecord) throws(AuditFault) {
        let isFirst = record.number == 1 && record.previous == AuditRecord.Link.start.digest
        let carriesOn = mayCarryOn && record.event.operation == AuditNote.carriedOn.rawValue
        guard isFirst || carriesOn else { throw fault(.missingBeginning) }
    }

    private static func has(_ number: Int64, _ frames: RecordFrames, from start: Int) -> Bool {
        var position = start
        while case .frame(let frame) = frames.step(at: position) {
            if frames.record(of: frame)?.number == number { return true }
            position = frame.end
        }
        return false
    }

    private func fault(_ kind: AuditFault.Kind) -> AuditFault {
        AuditFault(kind: kind, file: file, lastSoundNumber: link?.number ?? 0)
    }
}

extension ChainCheck {
    /// The end of a file's chain.
    struct End {
        /// Nil if the file has no complete record.
        var link: AuditRecord.Link?
        /// Less than the size of the file if a crash left an incomplete record.
        var soundByteCount: Int
    }

    /// Finds the end of a file's chain. Compares digests and decodes only the first and last dictionary, because this
    /// runs at every start.
    static func end(
        of frames: RecordFrames, file: String, mayCarryOn: Bool
    ) throws(AuditFault) -> End {
        var check = ChainCheck(file: file, after: nil, mayCarryOn: mayCarryOn)
        var last: RecordFrames.Frame?
        var digest: [UInt8] = []
        var position = 0
        while true {
            let step = frames.step(at: position)
            guard case .frame(let frame) = step else {
                let record = last.flatMap { frames.record(of: $0) }
                check.link = record.map { AuditRecord.Link(number: $0.number, digest: digest) }
                if step == .badLength || (last != nil && record == nil) { throw check.fault(.changed) }
                return End(link: check.link, soundByteCount: position)
            }
            if last == nil {
                guard let first = frames.record(of: frame) else { throw check.fault(.changed) }
                try check.checkFirst(first)
                digest = first.previous
            }
            let found = AuditRecord.digest(previous: digest, of: Array(frames.bytes[frame.dictionary]))
            guard found == frames.digest(of: frame) else {
                let number = last.flatMap { frames.record(of: $0) }?.number
                check.link = number.map { AuditRecord.Link(number: $0, digest: digest) }
                throw check.fault(.changed)
            }
            digest = found
            last = frame
            position = frame.end
        }
    }
}
