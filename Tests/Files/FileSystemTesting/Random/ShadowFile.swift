import Glibc

/// A file and the bytes that it should have.
final class ShadowFile {
    var name: Path
    var bytes: [UInt8] = []
    private(set) var handle: OpenFile?

    init(name: Path) {
        self.name = name
    }

    /// The open file; opened if it is not.
    func opened(in directory: TestDirectory) throws -> OpenFile {
        if let handle { return handle }
        let opened = try directory.open(name, O_RDWR | O_CREAT)
        handle = opened
        return opened
    }

    func close() throws {
        try handle?.close()
        handle = nil
    }

    /// Changes the copy as a write does.
    func put(_ new: [UInt8], at offset: Int) {
        guard !new.isEmpty else { return }
        grow(to: offset + new.count)
        bytes.replaceSubrange(offset..<offset + new.count, with: new)
    }

    func grow(to count: Int) {
        if count > bytes.count { bytes += [UInt8](repeating: 0, count: count - bytes.count) }
    }

    func resize(to count: Int) {
        if count < bytes.count { bytes.removeLast(bytes.count - count) } else { grow(to: count) }
    }

    /// Clears what of a range lies within the file.
    func clear(_ range: Range<Int>) {
        let cleared = range.clamped(to: 0..<bytes.count)
        bytes.replaceSubrange(cleared, with: repeatElement(0, count: cleared.count))
    }
}
