package import LatchkeyCryptoSuite
package import LatchkeySecretMemory
import LatchkeyThreading

/// A new file without its place: all that can be computed before that is known, so that who makes many files has the next one
/// ready.
///
/// One file can be made of it: its session of sealing has begun.
package final class UnwrittenFile: Sendable {
    struct Parts: @unchecked Sendable {
        // Sendable because the keys go from who keeps the parts to the one file that is made of them.
        let header: FileHeader
        let keys: FileKeys
        /// The header as it is written first.
        let firstCopy: [UInt8]
    }

    private let parts: ForkMutex<Parts?>

    /// - Parameters:
    ///   - tie: the database that the file belongs to; nil for other files.
    ///   - identifier, and the others: of ``ProtectedFile/create(in:identifier:fileKey:protectionClass:wrappedKey:limit:entropy:)``.
    package init(
        identifier: [UInt8]? = nil, fileKey: SecretBox, protectionClass: UInt8, wrappedKey: [UInt8],
        tie: FileTie? = nil, entropy: any Entropy = SystemEntropy()
    ) throws(FileFailure) {
        let identifier = identifier ?? entropy.bytes(FileHeader.identifierByteCount)
        precondition(identifier.count == FileHeader.identifierByteCount, "an identifier has its length")
        guard wrappedKey.count <= FileHeader.maximumWrappedKeyByteCount else {
            throw .wrappedKeyTooLong(wrappedKey.count)
        }
        let header = FileHeader(
            generation: 1, isSettled: false, identifier: identifier, length: 0,
            extent: UInt64(FileHeader.copyCount), depth: 0, root: .hole, protectionClass: protectionClass,
            wrappedKey: wrappedKey, tie: tie)
        let keys = FileKeys(fileKey: fileKey, identifier: identifier, entropy: entropy)
        keys.beginSession()
        parts = ForkMutex(Parts(header: header, keys: keys, firstCopy: header.encoded(key: keys.header)))
    }

    func take() -> Parts {
        guard let parts = parts.withLock({ $0.take() }) else { preconditionFailure("one file is made of a key") }
        return parts
    }
}
