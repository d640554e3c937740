extension MembershipState {
    /// True if a member has to create an epoch before it seals anything (rule 5).
    package var needsEpoch: Bool { writingEpoch == nil }

    /// The parties to which a new epoch is shared.
    package var epochRecipients: Set<CircleParty> {
        Set(members.map(CircleParty.device)).union([.recovery(recoveryKeys.identifier)])
    }

    /// Returns the parties to which the epoch of a removal is shared.
    ///
    /// - Parameter newKeys: the recovery keys in the removal; see ``needsNewRecoveryKeys(removing:)``.
    package func epochRecipients(
        removing device: DeviceIdentifier, newKeys: RecoveryIdentifier?
    ) -> Set<CircleParty> {
        Set(members.subtracting([device]).map(CircleParty.device))
            .union([.recovery(newKeys ?? recoveryKeys.identifier)])
    }

    /// The parties that lack the keys of the epoch for writing. Any member that has them shares them.
    package var missingShares: Set<CircleParty> {
        guard let writingEpoch else { return [] }
        return epochRecipients.subtracting(writingEpoch.recipients)
    }

    /// Returns true if the device knows the current recovery code, so that its removal has to replace it.
    package func needsNewRecoveryKeys(removing device: DeviceIdentifier) -> Bool {
        recoveryKeyOwner == device
    }
}
