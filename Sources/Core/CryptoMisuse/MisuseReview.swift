/// A review of uses of `CommonCrypto`, one after the other, that reports flaws.
///
/// It remembers the latest few thousand keys, ciphertexts and secrets by name (``Fingerprints``), so its memory is
/// bounded: older ones are no longer held against a program. `Place` is the call site of a use, in the owner's form.
package struct MisuseReview<Place: Sendable> {
    /// A flaw, and the call site of its use.
    package struct Found: Sendable {
        package let flaw: CryptoFlaw
        package let place: Place
    }

    /// A cipher between its start and its end.
    struct RunningCipher {
        let mode: CipherUse.Mode
        let isEncrypting: Bool
        let place: Place?
        /// The flaws of its IV, if it processes any input.
        var flawsOfIV: [CryptoFlaw] = []
        /// Key and IV until the first output; nil if they may be used again.
        var name: Fingerprints.Name?
        /// All input, and its beginning; nil if it is not needed.
        var text: Fingerprints.Stream?
        var textStart: MessageStart?
        /// Key and IV if this is the first message with them.
        var noted: Fingerprints.Name?
        /// Key and IV if this message begins like the first one with them: its end shows whether it is the same.
        var repeats: Fingerprints.Name?
        /// For CTR, with the name of the key and of the part that does not count.
        var counters: (name: Fingerprints.Name, run: CounterRun)?
        /// For CBC.
        var lastBlock = LastBlock()
        /// The decrypted bytes so far; nil once they are too long to be a compared secret.
        var result: Fingerprints.Stream?
    }

    /// A ciphertext whose authentication code may still come.
    struct Unauthenticated {
        let endings: [AuthenticatedBytes.Name]
        let place: Place
    }

    let fingerprints: Fingerprints
    var ciphers: RecentTable<ObservedUse.Context, RunningCipher>
    /// By the name of key and IV: the first message.
    var usedIVs: RecentTable<Fingerprints.Name, MessageRecord>
    /// By the name of the key and of the part that CTR does not count.
    var counterRuns: RecentTable<Fingerprints.Name, [CounterRun]>
    var openCodes: RecentTable<ObservedUse.Context, Tail>
    /// The end of the code that was fed last.
    var latestTail: Tail?
    var authenticatedBytes: AuthenticatedBytes
    var unauthenticated: RecentTable<Int, Unauthenticated>
    var ciphertextCount = 0
    /// After so many ciphertexts the authenticated ones are removed, to have room for others.
    let sweepInterval: Int
    var secrets: RecentTable<Fingerprints.Name, Void>
    /// Whole secrets, which must not go through broken digests.
    var confidential: RecentTable<Fingerprints.Name, Void>
    var openDigests: RecentTable<ObservedUse.Context, Fingerprints.Stream>
    /// The results of broken digests.
    var digestResults: RecentTable<Fingerprints.Name, BrokenDigest>
    /// The lengths of the secrets that ``compares(_:)`` knows.
    package internal(set) var secretLengths: Set<Int> = []

    /// - Parameters:
    ///   - seed: random; see ``Fingerprints``.
    ///   - limit: the number of uses to remember.
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

    /// Records a use, and returns its flaws and those of earlier uses that it decides.
    /// - Parameter place: the call site; evaluated at most once, and only if it is needed.
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

    /// The findings about the uses so far, unless an authentication code still comes.
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
