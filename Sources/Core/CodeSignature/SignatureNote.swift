/// The ELF note that holds a signature (`Docs/Formats/code-signature.md`); `CSignatureNote` reserves it.
package enum SignatureNote {
    package static let sectionName = ".note.latchkey.signature"
    package static let name = Array("Latchkey\0".utf8)
    /// "LKS1"
    package static let type: UInt32 = 0x4C4B_5331
    /// From the start of the note; the same whether notes are aligned to 4 bytes or to 8.
    package static let descriptorOffset: UInt64 = 24
    package static let descriptorByteCount = 16 * 1024

    /// Builds the content of a descriptor: length, blob, zeros. Empty if there is no signature.
    static func descriptor(holding blob: [UInt8]) throws(SignatureFailure) -> [UInt8] {
        guard blob.count <= ProgramSignature.byteLimit else { throw .tooLarge(byteCount: blob.count) }
        var bytes = (0..<4).map { UInt8(truncatingIfNeeded: blob.count >> (8 * $0)) } + blob
        bytes += [UInt8](repeating: 0, count: descriptorByteCount - bytes.count)
        return bytes
    }

    /// Returns the blob in a descriptor; empty for a reserved one that was never filled.
    static func blob(in descriptor: [UInt8]) throws(SignatureFailure) -> [UInt8] {
        guard descriptor.count == descriptorByteCount else { throw .malformed("its note has another size") }
        let count = descriptor.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count <= ProgramSignature.byteLimit else { throw .malformed("it claims to have \(count) bytes") }
        guard descriptor.dropFirst(4 + count).allSatisfy({ $0 == 0 }) else {
            throw .malformed("it is followed by other bytes")
        }
        return Array(descriptor[4..<4 + count])
    }
}
