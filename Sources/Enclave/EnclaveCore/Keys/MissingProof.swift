package import LatchkeyAccessControl

/// What the conditions of a key lack: with it a prompt needs no further question.
package struct MissingProof: Sendable, Hashable {
    package let accessControl: AccessControl
    /// `.needs` or `.refused`, for the operation that was asked for.
    package let verdict: Verdict
    /// That of the question, or one that was opened for the proof: who gets it closes it.
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
    /// The conditions of a key lack something.
    static let proofMissing = keyAnswer(10)
}
