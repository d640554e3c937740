import LatchkeyCryptoMisuse
import LatchkeySecretMemory
import Synchronization

/// The use of `CommonCrypto` by the apps of one device, and the observations about it.
final class CryptoTrail: Sendable {
    private struct Place: Sendable {
        let app: String
        let call: CapturedCall
    }

    private struct State {
        var review = CryptoTrail.newReview()
        var observations: [Observation] = []
        var noted: Set<Note> = []

        mutating func note(_ observation: Observation) {
            let note = Note(kind: observation.flaw.kind, app: observation.app, stack: observation.place.stack)
            if noted.insert(note).inserted { observations.append(observation) }
        }
    }

    /// A loop encrypts thousands of times at one place; that is one finding.
    private struct Note: Hashable {
        let kind: Finding.Kind
        let app: String
        let stack: Int
    }

    private let state = Mutex(State())

    init() {
        CryptoEar.open()
    }

    deinit {
        CryptoEar.close()
        ComparisonWatch.forget(state.withLock { $0.review.secretLengths })
    }

    func hear(_ use: ObservedUse, app: String) {
        ComparisonWatch.withoutListening {
            let lengths = state.withLock { state in
                let known = state.review.secretLengths
                let found = state.review.observe(use) { Place(app: app, call: CapturedCall.here()) }
                for found in found { state.note(Self.observation(of: found.flaw, found.place)) }
                return state.review.secretLengths.subtracting(known)
            }
            ComparisonWatch.expect(lengths)
        }
    }

    /// Secrets that an app gave to the keychain, or got from it.
    func learn(_ secrets: [SecretBox]) {
        guard !secrets.isEmpty else { return }
        ComparisonWatch.withoutListening {
            state.withLock { state in
                for secret in secrets {
                    unsafe secret.withBytes { unsafe state.review.learn(secret: ComparedBytes($0)) }
                }
            }
        }
    }

    /// One operand of a comparison that stops at the first difference. A comparison never waits for a lock: while
    /// another thread of the app encrypts, it goes unseen.
    func compares(_ operand: ComparedBytes, app: String) {
        _ = state.withLockIfAvailable { state in
            guard let flaw = state.review.compares(operand) else { return }
            state.note(Self.observation(of: flaw, Place(app: app, call: CapturedCall.here(isComparison: true))))
        }
    }

    /// With what no authentication code has come for until now.
    var observations: [Observation] {
        ComparisonWatch.withoutListening {
            let all = state.withLock { state in
                var settled = State(review: Self.newReview(), observations: state.observations, noted: state.noted)
                for found in state.review.unsettled { settled.note(Self.observation(of: found.flaw, found.place)) }
                return settled.observations
            }
            // A comparison that a test library or Latchkey made is not the app's.
            return all.filter { $0.flaw.call != .comparison || $0.place.callSite != nil }
        }
    }

    func forget() {
        ComparisonWatch.withoutListening {
            let lengths = state.withLock { state in
                defer { state = State() }
                return state.review.secretLengths
            }
            ComparisonWatch.forget(lengths)
        }
    }

    private static func newReview() -> MisuseReview<Place> {
        MisuseReview(seed: .random(in: .min ... .max))
    }

    private static func observation(of flaw: CryptoFlaw, _ place: Place) -> Observation {
        let kind = Finding.Kind(flaw.kind)
        let call: Finding.Call =
            switch kind {
            case .derivationWithSHA1, .fewRounds, .shortSalt: .keyDerivation
            case .variableTimeComparison: .comparison
            case .textHMACKey: .messageAuthentication
            case .weakDigest: .digest
            default: .crypt
            }
        return Observation(
            flaw: Flaw(kind: kind, of: call, reason: flaw.reason, advice: flaw.advice), app: place.app,
            place: place.call)
    }
}

extension Finding.Kind {
    fileprivate init(_ kind: CryptoFlaw.Kind) {
        self =
            switch kind {
            case .ecb: .ecb
            case .deadCipher: .deadCipher
            case .missingIV: .missingIV
            case .repeatedIV: .repeatedIV
            case .overlappingCounters: .overlappingCounters
            case .unitKeys: .unitKeys
            case .textKey: .textKey
            case .textCodeKey: .textHMACKey
            case .weakDigest: .weakDigest
            case .shortKey: .shortKey
            case .derivationWithSHA1: .derivationWithSHA1
            case .fewRounds: .fewRounds
            case .shortSalt: .shortSalt
            case .cbcWithoutAuthentication: .cbcWithoutAuthentication
            case .variableTimeComparison: .variableTimeComparison
            }
    }
}
