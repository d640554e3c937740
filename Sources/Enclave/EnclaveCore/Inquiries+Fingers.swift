/// The owner's fingers. Each call documents its ``BiometryRequest``.
extension EnclaveInquiry where Answer == BiometryStatus {
    package static var biometry: Self {
        Self(.biometry(.status)) { if case .biometry(.status(let status)) = $0 { status } else { nil } }
    }
}

extension EnclaveInquiry where Answer == BiometryReply {
    /// A request that the keychain passes on, for the owner.
    package static func biometry(_ request: BiometryRequest) -> Self {
        Self(.biometry(request)) { if case .biometry(let reply) = $0 { reply } else { nil } }
    }
}
