/// Looks at uses of `CommonCrypto` one after the other, and says what is wrong about them.
///
/// It remembers the latest few thousand keys, ciphertexts and secrets by name (``Fingerprints``), so its memory is
/// bounded: what lies further back is no longer held against a program. `Place` is where a use was made, as far as the owner wants to know it.
package struct MisuseReview<Place: Sendable> {
    /// A flaw, and where the use of it was made.
    package struct Found: Sendable {
        package let flaw: CryptoFlaw
        package let place: Place
    }

    /// A cipher between its start and its end.
    struct RunningCipher {
        let mode: CipherUse.Mode
        let isEncrypting: Bool
        let place: Place?
        /// What is wrong about its IV, if anything goes through it.
        var flawsOfIV: [CryptoFlaw] = []
        /// Key and IV until the first output; nil if they may be used again.
        var name: Fingerprints.Name?
        /// Everything that went in, and how it began; nil if it is not needed.
        var text: Fingerprints.Stream?
        var textStart: MessageStart?
        /// Key and IV if this is the first message with them.
        var noted: Fingerprints.Name?
        /// Key and IV if this message begins as the first one with them: whether it is the same is known at its end.
        var repeats: Fingerprints.Name?
        /// For CTR, with the name of the key and of what it does not count.
        var counters: (name: Fingerprints.Name, run: CounterRun)?
        /// For CBC.
        var lastBlock = LastBlock()
        /// What decrypting gave so far; nil once it is too long to be a secret that somebody compares.
        var result: Fingerprints.Stream?
    }

    /// A ciphertext that an authentication code may still come for.
    struct Unauthenticated {
        let endings: [AuthenticatedBytes.Name]
        let place: Place
    }

    let fingerprints: Fingerprints
    var ciphers: RecentTable<ObservedUse.Context, RunningCipher>
    /// By the name of key and IV: the first message.
    var usedIVs: RecentTable<Fingerprints.Name, MessageRecord>
    /// By the name of the key and of what CTR does not count.
    var counterRuns: RecentTable<Fingerprints.Name, [CounterRun]>
    var openCodes: RecentTable<ObservedUse.Context, Tail>
    /// Of the code that was fed last.
    var latestTail: Tail?
    var authenticatedBytes: AuthenticatedBytes
    var unauthenticated: RecentTable<Int, Unauthenticated>
    var ciphertextCount = 0
    /// After so many ciphertexts those are taken out that a code has come for, to have room for others.
    let sweepInterval: Int
    var secrets: RecentTable<Fingerprints.Name, Void>
    /// Whole secrets, which must not be digested by what is broken.
    var confidential: RecentTable<Fingerprints.Name, Void>
    var openDigests: RecentTable<ObservedUse.Context, Fingerprints.Stream>
    /// What broken digests gave.
    var digestResults: RecentTable<Fingerprints.Name, BrokenDigest>
    /// How long the secrets are that ``compares(_:)`` knows.
    package internal(set) var secretLengths: Set<Int> = []

    /// - Parameters:
    ///   - seed: random; see ``Fingerprints``.
    ///   - limit: how many uses are remembered.
    package init(seed: UInt64, remembering limit: Int = 4096) {
        fingerprints = Fingerprints(seed: seed)
        ciphers = RecentTable(limit: limit / 4)
        usedIVs = RecentTable(limit: limit)
        counterRuns = RecentTable(limit: limit / 16)
        openCodes = RecentTable(limit: limit / 4)
        authenticatedBytes = AuthenticatedBytes(seed: seed)
        unauthenticated = RecentTable(limit: limit / 4)
        sweepInterval = max(1, limit / 16)
        secrets = RecentTable(limit: limit)
        confidential = RecentTable(limit: limit)
        openDigests = RecentTable(limit: limit / 4)
        digestResults = RecentTable(limit: limit)
    }

    /// Notes a use. What is wrong about it, or about an earlier one that it decides.
    /// - Parameter place: where it was made; asked at most once, and only if there is a need for it.
    package mutating func observe(_ use: ObservedUse, at place: () -> Place) -> [Found] {
        switch use {
        case .cipherStarts(let use, let context): starts(use, context, place)
        case .cipherTakes(let bytes, let context): unsafe takes(bytes, context)
        case .cipherGives(let bytes, let context): unsafe gives(bytes, context)
        case .cipherEnds(let context): ends(context)
        case .authenticates(let bytes, let context): unsafe authenticates(bytes, context)
        case .authenticated(let code, let context): unsafe authenticated(code, context)
        case .codeStarts(let key): unsafe codeStarts(key, place)
        case .derives(let use): derives(use, place)
        case .digests(let bytes, let context): unsafe digests(bytes, context)
        case .digested(let use, let context): digested(use, context, place)
        }
    }

    /// What is wrong about the uses so far, unless an authentication code still comes.
    package var unsettled: [Found] {
        unauthenticated.values.filter { !isAuthenticated($0.endings) }
            .map { Found(flaw: CodeRules.unauthenticated(isEncrypting: true), place: $0.place) }
    }

    func found(_ flaws: [CryptoFlaw], _ place: () -> Place) -> [Found] {
        guard !flaws.isEmpty else { return [] }
        let place = place()
        return flaws.map { Found(flaw: $0, place: place) }
    }
}
