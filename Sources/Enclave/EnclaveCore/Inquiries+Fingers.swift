/// The owner's fingers. Each call documents its ``FingerRequest``.
extension EnclaveInquiry where Answer == BiometryStatus {
    package static var biometry: Self {
        Self(.biometry(.status)) { if case .biometry(.status(let status)) = $0 { status } else { nil } }
    }
}
