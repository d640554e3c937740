import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// Messages about the keys of files, of every shape.
extension Samples {
    static let file = FileIdentifier(Array(200..<216))!
    static let fileKey = SecretBox(copying: Array("the 32 bytes of a file's own key".utf8))

    static func wrapped(_ protection: FileProtection) -> WrappedFileKey {
        let bytes = [UInt8](repeating: 9, count: WrappedFileKey.byteCount(protection))
        return WrappedFileKey(bytes, of: file, protection)!
    }

    static let fileKeyQuestions: [any FileKeyQuestion] =
        [
            CreateFileKeys(.complete, for: [FileIdentifier](repeating: file, count: 256)),
            OpenFileKeys(FileProtection.allCases.map { wrapped($0) }),
            OpenFileKeys([WrappedFileKey](repeating: wrapped(.completeUnlessOpen), count: 256)),
        ]
        + FileProtection.allCases.flatMap { protection -> [any FileKeyQuestion] in
            [CreateFileKeys(protection, for: [file]), OpenFileKeys([wrapped(protection)])]
                + FileProtection.allCases.map { RewrapFileKey(wrapped(protection), to: $0) }
        }

    static let createdFileKeys = [
        CreatedFileKeys([CreatedFileKeys.Key(fileKey, wrapped: wrapped(.complete))]),
        CreatedFileKeys(FileProtection.allCases.map { CreatedFileKeys.Key(fileKey, wrapped: wrapped($0)) }),
    ]

    static let fileKeyRefusals = [
        FileKeyRefusal(.notAvailable), FileKeyRefusal.keyNotHere,
        FileKeyRefusal(
            .interactionNotAllowed, Refusal(ruleName: Rule.classKeyLocked.rawValue, reason: "gesperrt é", advice: "")),
    ]

    static let openedFileKeys =
        [OpenedFileKeys([.success(fileKey)]), OpenedFileKeys([.success(fileKey), .failure(.keyNotHere)])]
        + [OpenedFileKeys(fileKeyRefusals.map { .failure($0) } + [.success(fileKey)])]
}
