package import LatchkeyCodeSignature

/// What the file of a program says, whoever runs it: nothing of it depends on the process or on whom a device trusts.
package struct ProgramFinding: Sendable, Hashable {
    package enum Signature: Sendable, Hashable {
        case none
        /// The signature is right, and that of exactly this file.
        case valid(ProgramSignature)
        /// There is one that does not count, or the file cannot be understood.
        case refused(SignatureFailure)
    }

    /// The file as it was looked at.
    package let identity: FileIdentity
    package let signature: Signature
    /// SHA-256 of the file with zeros where signatures are; nil where nobody needed it.
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
