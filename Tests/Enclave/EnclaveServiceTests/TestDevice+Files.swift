import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyKeybag
import Testing

/// Keys of files.
extension TestDevice {
    static let file = identifier(7)

    static func identifier(_ byte: UInt8) -> FileIdentifier {
        FileIdentifier([UInt8](repeating: byte, count: FileIdentifier.byteCount))!
    }

    func createFileKey(
        _ protection: FileProtection, for file: FileIdentifier = TestDevice.file
    ) -> Result<CreatedKey, KeyRefusal> {
        do throws(EnclaveRefusal) {
            return try enclave.ask(MakeFileKeys(protection, for: [file])).map { made in
                let wrapped = WrappedKey(
                    keyClass: protection.keyClass, use: .file, binding: file.bytes, bytes: made[0].wrapped)
                return CreatedKey(key: made[0].key, wrapped: wrapped)
            }
        } catch {
            Issue.record("creating the key of a file was refused: \(error)")
            return .failure(.damaged)
        }
    }

    /// The same key under another class, or the reason why there is none.
    func rewrap(_ created: CreatedKey, to protection: FileProtection) -> Result<CreatedKey, KeyRefusal> {
        guard let key = created.wrapped.ofFile else {
            Issue.record("not the key of a file")
            return .failure(.damaged)
        }
        do throws(EnclaveRefusal) {
            return try enclave.ask(RewrapKey(key, to: protection)).map { rewrapped in
                let wrapped = WrappedKey(
                    keyClass: protection.keyClass, use: .file, binding: created.wrapped.binding,
                    bytes: rewrapped.bytes)
                return CreatedKey(key: created.key, wrapped: wrapped)
            }
        } catch {
            Issue.record("rewrapping was refused: \(error)")
            return .failure(.damaged)
        }
    }
}

extension WrappedKey {
    var ofFile: WrappedFileKey? {
        guard let protection = keyClass.fileProtection, let file = FileIdentifier(binding) else { return nil }
        return WrappedFileKey(bytes, of: file, protection)
    }
}

extension Result where Failure == KeyRefusal {
    /// The reason of the failure; nil for a success.
    var code: KeyRefusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}
