package import LatchkeyAccessControl

/// The evidence that the conditions of a key still need. A client can prompt the user with it, without another request.
package struct MissingProof: Sendable, Hashable {
    package let accessControl: AccessControl
    /// `.needs` or `.refused`, for the requested operation.
    package let verdict: Verdict
    /// The context of the request, or one that was opened for the proof. The client must close it.
    package let context: ContextIdentifier

    package init(accessControl: AccessControl, verdict: Verdict, context: ContextIdentifier) {
        self.accessControl = accessControl
        self.verdict = verdict
        self.context = context
    }

    func write(to writer: inout MessageWriter) {
        writer.context(context)
        writer.accessControl(accessControl)
        writer.byte(verdict.part)
        verdict.write(to: &writer)
    }

    init(from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = try reader.context()
        accessControl = try reader.accessControl()
        let part = try reader.byte()
        guard let verdict = try Verdict(part: part, from: &reader), verdict != .granted else {
            throw .badValue(field: "verdict", found: UInt64(part))
        }
        self.verdict = verdict
    }
}

extension MessageNumber {
    /// The answer if evidence for the conditions of a key is missing.
    static let proofMissing = keyAnswer(10)
}
