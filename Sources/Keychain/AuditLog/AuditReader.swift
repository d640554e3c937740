package import LatchkeyEncoding

/// The result of checking the whole log.
package struct AuditVerdict: Sendable, Hashable {
    /// A position in the chain to remember. A later check that does not find it proves that records were removed.
    package struct Head: Sendable, Hashable {
        package let number: Int64
        package let digest: [UInt8]

        package init(number: Int64, digest: [UInt8]) {
            self.number = number
            self.digest = digest
        }
    }

    /// The number of intact records, up to the end or the fault.
    package fileprivate(set) var recordCount = 0
    package fileprivate(set) var firstNumber: Int64?
    package fileprivate(set) var firstTime: WallTime?
    package fileprivate(set) var lastTime: WallTime?
    package fileprivate(set) var head: Head?
    /// The fault that breaks the chain; nil if it is intact.
    package fileprivate(set) var fault: AuditFault?
    /// The files of earlier chains that were found broken.
    package fileprivate(set) var asideFiles: [String] = []
}

/// Reads the log of a device from its files; the device need not run.
package struct AuditReader: Sendable {
    private let place: AuditPlace

    /// - Parameter directory: the directory `keychain` of the device.
    package init(directory: String) {
        place = AuditPlace(directory: directory)
    }

    /// Returns the newest records first, at most `limit`, including the readable ones of a damaged log.
    /// ``verify(expecting:)`` checks the log.
    package func tail(_ limit: Int) throws(AuditReadFailure) -> [AuditRecord] {
        guard limit > 0 else { return [] }
        var found: [AuditRecord] = []
        for (_, frames) in try files().reversed() where found.count < limit {
            var list: [RecordFrames.Frame] = []
            var position = 0
            while case .frame(let frame) = frames.step(at: position) {
                list.append(frame)
                position = frame.end
            }
            found += list.suffix(limit - found.count).reversed().compactMap { frames.record(of: $0) }
        }
        return found
    }

    /// Checks the chain from its first record to its last.
    /// - Parameter head: a position from an earlier check. It is a fault if the log does not have it any more.
    package func verify(expecting head: AuditVerdict.Head? = nil) throws(AuditReadFailure) -> AuditVerdict {
        let files = try files()
        var verdict = AuditVerdict()
        verdict.asideFiles = place.asideFiles()
        var headDigest: [UInt8]?
        do throws(AuditFault) {
            var link: AuditRecord.Link?
            for (name, frames) in files {
                var check = ChainCheck(file: name, after: link, mayCarryOn: name == AuditPlace.former)
                defer { link = check.link }
                try check.follow(frames) { record, digest in
                    if record.number == head?.number { headDigest = digest }
                    verdict.include(record, digest)
                }
            }
            if files.last?.name == AuditPlace.former {
                throw AuditFault(kind: .missingEnd, file: AuditPlace.current, lastSoundNumber: link?.number ?? 0)
            }
            if let head { try verdict.check(head, found: headDigest) }
        } catch {
            verdict.fault = error
        }
        return verdict
    }

    /// The existing files, the older one first.
    private func files() throws(AuditReadFailure) -> [(name: String, frames: RecordFrames)] {
        let read = place.locked(exclusively: false) { () -> Result<[(String, RecordFrames)], AuditReadFailure> in
            do throws(AuditReadFailure) {
                var files: [(String, RecordFrames)] = []
                for name in [AuditPlace.former, AuditPlace.current] {
                    let bytes = try place.content(name)
                    if !bytes.isEmpty { files.append((name, RecordFrames(bytes: bytes))) }
                }
                return .success(files)
            } catch {
                return .failure(error)
            }
        }
        return try read.get().get().map { (name: $0.0, frames: $0.1) }
    }
}

extension AuditVerdict {
    fileprivate mutating func include(_ record: AuditRecord, _ digest: [UInt8]) {
        recordCount += 1
        firstNumber = firstNumber ?? record.number
        firstTime = firstTime ?? record.time
        lastTime = record.time
        head = Head(number: record.number, digest: digest)
    }

    /// Checks a remembered position. One before the oldest record was rotated away and cannot be checked.
    fileprivate func check(_ expected: Head, found: [UInt8]?) throws(AuditFault) {
        let last = head?.number ?? 0
        if expected.number > last {
            throw AuditFault(kind: .missingEnd, file: AuditPlace.current, lastSoundNumber: last)
        }
        guard expected.number >= firstNumber ?? 1, found != expected.digest else { return }
        throw AuditFault(kind: .changed, file: AuditPlace.current, lastSoundNumber: expected.number - 1)
    }
}
