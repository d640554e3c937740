import Foundation

extension VirtualFiles {
    /// A kind of damage of a stored file.
    public enum Damage: String, Sendable, Hashable, CaseIterable {
        /// One bit of each stored block of content is another. Reading is refused, as `fileReadCorruptFile`.
        case content
        /// One bit of each copy of the header is another: the file does not open.
        case header
        /// The second half is missing.
        case cut

        /// Of the format, as Docs/Formats/protected-file.md has it: two header copies, then blocks and nodes.
        private static let blockByteCount: UInt64 = 4096
        private static let headerCopyCount: UInt64 = 2

        func apply(to file: FileHandle, isProtected: Bool) throws {
            let size = try file.seekToEnd()
            let headerEnd = isProtected ? Self.headerCopyCount * Self.blockByteCount : 0
            switch self {
            case .cut: try file.truncate(atOffset: size / 2)
            case .header: try Self.flip(in: file, from: 0, to: min(headerEnd, size))
            case .content: try Self.flip(in: file, from: headerEnd, to: size)
            }
        }

        private static func flip(in file: FileHandle, from start: UInt64, to end: UInt64) throws {
            for offset in stride(from: start, to: end, by: Int(blockByteCount)) {
                // Behind the mark of the format, so that it stays a protected file.
                let position = min(offset + 100, end - 1)
                try file.seek(toOffset: position)
                guard let byte = try file.read(upToCount: 1)?.first else { return }
                try file.seek(toOffset: position)
                try file.write(contentsOf: [byte ^ 1])
            }
        }
    }
}
