package import LatchkeyCodeSignature

/// The content of a program's file as far as it matters: independent of the process and of the teams that a device
/// trusts.
package struct ProgramFinding: Sendable, Hashable {
    package enum Signature: Sendable, Hashable {
        case none
        /// The signature is valid, and for exactly this file.
        case valid(ProgramSignature)
        /// The signature is not accepted, or the file cannot be parsed.
        case refused(SignatureFailure)
    }

    /// The identity of the file when it was read.
    package let identity: FileIdentity
    package let signature: Signature
    /// SHA-256 of the file with zeros where signatures are; nil if it was not needed.
    package let digest: [UInt8]?
    /// Libraries and loader come from directories that only root can change.
    package let loadsSystemFilesOnly: Bool

    package init(identity: FileIdentity, signature: Signature, digest: [UInt8]?, loadsSystemFilesOnly: Bool) {
        self.identity = identity
        self.signature = signature
        self.digest = digest
        self.loadsSystemFilesOnly = loadsSystemFilesOnly
    }
}
