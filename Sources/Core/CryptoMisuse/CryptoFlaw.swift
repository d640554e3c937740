/// A wrong use of `CommonCrypto`, and what to call instead.
package struct CryptoFlaw: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case ecb = "ecb"
        case deadCipher = "dead-cipher"
        case missingIV = "missing-iv"
        case repeatedIV = "repeated-iv"
        case overlappingCounters = "overlapping-counters"
        case unitKeys = "unit-keys"
        case textKey = "text-key"
        case textCodeKey = "text-hmac-key"
        case shortKey = "short-key"
        case derivationWithSHA1 = "derivation-with-sha1"
        case fewRounds = "few-rounds"
        case shortSalt = "short-salt"
        case weakDigest = "weak-digest"
        case cbcWithoutAuthentication = "cbc-without-authentication"
        case variableTimeComparison = "variable-time-comparison"
    }

    package let kind: Kind
    package let reason: String
    package let advice: String

    init(_ kind: Kind, reason: String, advice: String) {
        self.kind = kind
        self.reason = reason
        self.advice = advice
    }
}
