extension Rule {
    /// The page that lists the rules.
    package static let page = "Docs/RefusalRules.md"

    /// A part of the page, by its heading.
    package enum Part: String, Sendable, Hashable, CaseIterable {
        case query = "The query"
        case item = "The item and its protection"
        case enclaveKeys = "Keys of the enclave"
        case fileKeys = "Keys of files"
        case backups = "Backups"
        case sync = "Sync"
        case program = "The program"
        case signature = "The program's signature"
        case authentication = "Authentication"
        case connection = "The way to the device"
        case device = "The device"
        case tests = "In tests"
    }

    /// The kind of entry that a rule makes in the journal.
    package enum Kind: Sendable, Hashable {
        case refusal
        /// A finding about a call that succeeded, for the owner to look at.
        case finding
    }

    package var kind: Kind {
        switch self {
        case .ownerAccess, .ownerChange: .finding
        default: .refusal
        }
    }
}
