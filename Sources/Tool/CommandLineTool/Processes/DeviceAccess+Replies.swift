package import LatchkeyEnclaveContract
package import LatchkeyKeychainMessages

/// Questions by the names of their answers.
extension DeviceAccess {
    package func status() throws(CommandFailure) -> DeviceStatus {
        try ask(DescribeDevice())
    }

    /// Tells whether this program is the owner's tool for the device, and what the tool has elsewhere.
    package func ownersTool() throws(CommandFailure) -> OwnersTool {
        try ask(DescribeOwnersTool())
    }

    package func teams() throws(CommandFailure) -> [TrustedTeam] {
        try ask(ListTeams())
    }

    package func teamAliases() throws(CommandFailure) -> [PinnedAlias] {
        try ask(ListTeamAliases())
    }

    package func applications() throws(CommandFailure) -> [RegisteredApplication] {
        try ask(ListApplications())
    }

    package func refusals(limit: Int) throws(CommandFailure) -> [RefusalRecord] {
        try ask(ListRefusals(limit: limit))
    }

    package func endings(_ cause: EndingCause) throws(CommandFailure) -> EndingPreview {
        try ask(PreviewEndings(cause))
    }

    package func endedItems(limit: Int) throws(CommandFailure) -> [EndedItem] {
        try ask(ListEndedItems(limit: limit))
    }

    /// The seconds that this machine takes to try one passcode.
    package func secondsPerPasscodeTry() throws(CommandFailure) -> Double {
        try ask(MeasurePasscodeCost()).seconds
    }

    /// The revision of the enclave's program; nil if the daemon is older than this program.
    package func enclaveRevision() -> EnclaveRevision? { try? ask(AskRevision()) }

    /// The state of the fingerprint reader, and the enrolled fingers.
    package func biometry() throws(CommandFailure) -> BiometryStatus {
        try ask(AskBiometry())
    }
}

extension CommandFailure {
    /// A reply that does not belong to its request.
    package static let unexpectedReply = CommandFailure(
        .failure, "The device's reply does not fit the request.",
        why: "This program and the daemon are of different versions, or the daemon is not Latchkey's.",
        advice: "Use latchkey and latchkeyd of the same version; `latchkey doctor` names the daemon's program.")
}
