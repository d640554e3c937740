import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeySecretMemory

extension DeletedKeys {
    static let fileByteCountLimit =
        CheckedFile.headerByteCount + limit * EnclaveKeyIdentifier.byteCount + CheckedFile.checkByteCount

    /// Identifiers (16 each), ascending.
    var content: SecretBox {
        unsafe SecretBox(count: identifiers.count * EnclaveKeyIdentifier.byteCount) { content in
            for (index, identifier) in identifiers.enumerated() {
                unsafe identifier.write(
                    to: UnsafeMutableRawBufferPointer(rebasing: content[Self.place(of: index)]))
            }
        }
    }

    init?(content: SecretBox) {
        let (count, rest) = content.count.quotientAndRemainder(dividingBy: EnclaveKeyIdentifier.byteCount)
        guard rest == 0 else { return nil }
        // Identifiers are not secret.
        let identifiers = unsafe content.withBytes { bytes in
            (0..<count).compactMap { index in
                unsafe EnclaveKeyIdentifier(UnsafeRawBufferPointer(rebasing: bytes[Self.place(of: index)]))
            }
        }
        self.init(ascending: identifiers)
    }

    private static func place(of index: Int) -> Range<Int> {
        index * EnclaveKeyIdentifier.byteCount..<(index + 1) * EnclaveKeyIdentifier.byteCount
    }
}
