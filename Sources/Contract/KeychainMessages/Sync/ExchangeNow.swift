package import LatchkeyEnclaveContract

/// Looks for what the other devices have written, and writes what this one has.
package struct ExchangeNow: SyncQuestion, BareKeychainQuestion {
    package static let number: Int64 = 65
    package static let name = "sync-now"
    package static let traits: KeychainTraits = [.changesDevice, .audited]

    package init() {}

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
