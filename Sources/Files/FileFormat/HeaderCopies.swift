internal import LatchkeySecretMemory

/// Both header copies of a file as they were found.
struct HeaderCopies: Sendable {
    let copies: [HeaderCopy]
    /// True if an opening saw a synchronization fail: then a page that reads as new may never have reached the disk.
    let isInDoubt: Bool

    /// The mark of doubt, which may follow the record of either copy.
    static let doubt = Array("LKPF in doubt   ".utf8)

    static func offset(ofCopy index: Int) -> UInt64 { UInt64(index * TreeShape.blockByteCount) }
    static func doubtOffset(ofCopy index: Int) -> UInt64 { offset(ofCopy: index) + UInt64(FileHeader.recordByteCount) }

    /// An error of the backing is thrown: a copy that cannot be read now may be the one that counts.
    static func read(from backing: any Backing) throws(FileFailure) -> HeaderCopies {
        var bytes = [UInt8](repeating: 0, count: FileHeader.copyCount * TreeShape.blockByteCount)
        var failure: BackingFailure?
        var count = 0
        unsafe bytes.withUnsafeMutableBytes { buffer in
            do throws(BackingFailure) {
                count = unsafe try backing.read(at: 0, into: buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw .backing(failure) }
        // Bytes beyond the end stay zero and count as never written.
        guard count >= FileHeader.recordByteCount else { throw .notProtectedFile }
        let copies = (0..<FileHeader.copyCount).map { index in
            let start = index * TreeShape.blockByteCount
            return FileHeader.parse(Array(bytes[start..<start + FileHeader.recordByteCount]))
        }
        let isInDoubt = copies.indices.contains { index in
            bytes[Int(doubtOffset(ofCopy: index))...].starts(with: doubt)
        }
        return try HeaderCopies(copies: copies, isInDoubt: isInDoubt).checked()
    }

    /// Refuses a file of a later release, another kind of file, and copies of two files.
    private func checked() throws(FileFailure) -> HeaderCopies {
        for case .newerVersion(let version) in copies { throw .newerVersion(version) }
        let headers = copies.compactMap(\.header)
        guard let first = headers.first else { throw .notProtectedFile }
        guard headers.allSatisfy({ $0.identifier == first.identifier }) else { throw .headersDisagree }
        return self
    }

    /// The authentic copies with their index, the latest first.
    func authentic(key: SecretBox) throws(FileFailure) -> [(index: Int, header: FileHeader)] {
        var found: [(index: Int, header: FileHeader)] = []
        for (index, copy) in copies.enumerated() {
            guard case .complete(let header, let record) = copy, FileHeader.isAuthentic(record, key: key) else {
                continue
            }
            found.append((index, header))
        }
        guard !found.isEmpty else { throw .notAuthentic }
        found.sort { $0.header.generation > $1.header.generation }
        if found.count > 1, found[0].header.generation == found[1].header.generation, found[0].header != found[1].header
        {
            throw .headersDisagree
        }
        return found
    }
}
