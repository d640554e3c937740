package import LatchkeyCodeSignature

/// The signature of a program, and where it was.
package struct FoundSignature: Sendable {
    package enum Place: Sendable, Hashable {
        case embedded
        case detached(path: String)
    }

    package let signature: ProgramSignature
    package let place: Place

    /// The signature in the program, else the one that a directory has for it; nil if it is not signed.
    ///
    /// It is not checked yet, with one exception: a program with signatures for different applications is refused.
    package static func of(
        _ image: ExecutableImage, digest: [UInt8], directories: [String]
    ) throws(SignatureFailure) -> FoundSignature? {
        var found = try image.embeddedSignature().map { FoundSignature(signature: $0, place: .embedded) }
        for directory in directories {
            let path = DetachedSignatures.path(in: directory, digest: digest)
            guard let signature = try DetachedSignatures.read(path) else { continue }
            if let found {
                guard found.signature.statement.application == signature.statement.application else {
                    throw .twoSignatures
                }
            } else {
                found = FoundSignature(signature: signature, place: .detached(path: path))
            }
        }
        return found
    }
}
