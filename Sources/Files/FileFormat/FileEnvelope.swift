/// The part of a protected file that is readable before its key is known. It is not authenticated yet: use it to
/// unwrap the key and to show class and length of a file that is locked, and for nothing else.
package struct FileEnvelope: Sendable, Equatable {
    package let version: UInt32
    /// 1 (complete) to 4 (none), or another number that the caller gave.
    package let protectionClass: UInt8
    package let wrappedKey: [UInt8]
    /// 16 random bytes that stay with the file.
    package let identifier: [UInt8]
    /// In bytes.
    package let length: UInt64

    /// Returns true if one of the header copies begins as it should, whatever follows: not a file of another kind.
    package static func isMarked(_ backing: any Backing) -> Bool {
        (0..<FileHeader.copyCount).contains { index in
            var start = [UInt8](repeating: 0, count: FileHeader.magic.count)
            let count = unsafe start.withUnsafeMutableBytes { bytes in
                unsafe (try? backing.read(at: HeaderCopies.offset(ofCopy: index), into: bytes)) ?? 0
            }
            return count == start.count && start == FileHeader.magic
        }
    }

    /// Reads the complete header copies, the latest first. There are two of different classes only if a change of class
    /// was cut off: then the first whose key can be unwrapped opens the file.
    ///
    /// - Throws: ``FileFailure/notProtectedFile``, ``FileFailure/newerVersion(_:)``, or
    ///   ``FileFailure/headersDisagree``.
    package static func read(from backing: any Backing) throws(FileFailure) -> [FileEnvelope] {
        let headers = try HeaderCopies.read(from: backing).copies.compactMap(\.header)
        return headers.sorted { $0.generation > $1.generation }.map { header in
            FileEnvelope(
                version: FileHeader.version, protectionClass: header.protectionClass, wrappedKey: header.wrappedKey,
                identifier: header.identifier, length: header.length)
        }
    }
}
