import LatchkeyCryptoMisuse
import Testing

@Suite("Rules about keys from passwords")
struct DerivationRuleTests {
    @Test(
        "want a good hash function, rounds and a salt",
        arguments: [
            (DerivationUse.PseudoRandomFunction.sha256, 600_000 as UInt32, 16, [] as [CryptoFlaw.Kind]),
            (.sha256, 599_999, 16, [.fewRounds]), (.sha512, 210_000, 16, []), (.sha512, 209_999, 32, [.fewRounds]),
            (.sha384, 210_000, 16, []), (.sha224, 600_000, 16, []), (.sha1, 1_300_000, 16, [.derivationWithSHA1]),
            (.sha1, 10_000, 8, [.derivationWithSHA1, .fewRounds, .shortSalt]),
            (.sha256, 1, 0, [.fewRounds, .shortSalt]),
            (.sha256, 600_000, 15, [.shortSalt]),
        ])
    func table(
        _ function: DerivationUse.PseudoRandomFunction, _ rounds: UInt32, _ saltByteCount: Int,
        _ kinds: [CryptoFlaw.Kind]
    ) {
        var steps = Steps()
        steps.derive(function, rounds: rounds, salt: .drawn(saltByteCount, seed: 4))
        #expect(steps.kinds == kinds)
    }
}
