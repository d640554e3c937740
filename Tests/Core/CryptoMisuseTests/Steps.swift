import LatchkeyCryptoMisuse

/// A review and what a program does, in bytes: each cipher and code with a number for its context.
struct Steps {
    private(set) var review: MisuseReview<Int>
    /// The flaws that were found, each with the number of its step.
    private(set) var found: [(kind: CryptoFlaw.Kind, step: Int)] = []
    private var step = 0

    init(remembering limit: Int = 4096) {
        review = MisuseReview(seed: 1, remembering: limit)
    }

    var kinds: [CryptoFlaw.Kind] { found.map(\.kind) }
    var unsettledSteps: [Int] { review.unsettled.map(\.place) }

    mutating func start(
        _ mode: CipherUse.Mode, _ cipher: CipherUse.Cipher = .aes, isEncrypting: Bool = true, key: [UInt8] = .random32,
        iv: [UInt8]? = .random16, hasEqualKeys: Bool = false, context: Int = 1
    ) {
        key.withUnsafeBytes { key in
            (iv ?? []).withUnsafeBytes { bytes in
                let use = CipherUse(
                    cipher: cipher, mode: mode, isEncrypting: isEncrypting, key: key, iv: iv == nil ? nil : bytes,
                    hasEqualKeys: hasEqualKeys)
                observe(.cipherStarts(use, Self.context(context)))
            }
        }
    }

    mutating func take(_ bytes: [UInt8], context: Int = 1) {
        bytes.withUnsafeBytes { observe(.cipherTakes($0, Self.context(context))) }
    }

    mutating func give(_ bytes: [UInt8], context: Int = 1) {
        bytes.withUnsafeBytes { observe(.cipherGives($0, Self.context(context))) }
    }

    mutating func end(context: Int = 1) {
        observe(.cipherEnds(Self.context(context)))
    }

    /// A cipher from its start to its end.
    mutating func run(
        _ mode: CipherUse.Mode, _ cipher: CipherUse.Cipher = .aes, isEncrypting: Bool = true, key: [UInt8] = .random32,
        iv: [UInt8]? = .random16, _ input: [UInt8] = .text, to output: [UInt8] = .random32, context: Int = 1
    ) {
        start(mode, cipher, isEncrypting: isEncrypting, key: key, iv: iv, context: context)
        take(input, context: context)
        give(output, context: context)
        end(context: context)
    }

    mutating func authenticate(_ bytes: [UInt8], context: Int = 9) {
        bytes.withUnsafeBytes { observe(.authenticates($0, Self.context(context))) }
    }

    mutating func code(_ bytes: [UInt8] = .code, context: Int = 9) {
        bytes.withUnsafeBytes { observe(.authenticated($0, Self.context(context))) }
    }

    mutating func startCode(key: [UInt8]) {
        key.withUnsafeBytes { observe(.codeStarts(key: $0)) }
    }

    mutating func learn(_ secret: [UInt8]) {
        secret.withUnsafeBytes { review.learn(secret: ComparedBytes($0)) }
    }

    mutating func digest(_ digest: BrokenDigest, _ pieces: [[UInt8]], to result: [UInt8]) {
        for piece in pieces { piece.withUnsafeBytes { observe(.digests($0, Self.context(7))) } }
        result.withUnsafeBytes { observe(.digested(DigestUse(digest: digest, result: $0), Self.context(7))) }
    }

    mutating func derive(_ function: DerivationUse.PseudoRandomFunction, password: [UInt8]) {
        password.withUnsafeBytes { password in
            [UInt8].random16.withUnsafeBytes { salt in
                observe(
                    .derives(DerivationUse(function: function, rounds: 600_000, salt: salt, password: password)))
            }
        }
    }

    mutating func derive(_ function: DerivationUse.PseudoRandomFunction, rounds: UInt32, salt: [UInt8]) {
        salt.withUnsafeBytes { observe(.derives(DerivationUse(function: function, rounds: rounds, salt: $0))) }
    }

    func isComparedSecret(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { review.compares(ComparedBytes($0))?.kind == .variableTimeComparison }
    }

    private mutating func observe(_ use: ObservedUse) {
        step += 1
        let step = step
        found += review.observe(use) { step }.map { ($0.flaw.kind, $0.place) }
    }

    /// An address that is never read.
    private static func context(_ number: Int) -> ObservedUse.Context {
        ObservedUse.Context(UnsafeRawPointer(bitPattern: number)!)
    }
}

extension [UInt8] {
    static let text = Array("attack at dawn, attack at dawn!!".utf8)
    static let otherText = Array("retreat at noon, retreat at noon".utf8)
    static let random16 = drawn(16, seed: 1)
    static let random32 = drawn(32, seed: 2)
    static let code = drawn(32, seed: 3)

    /// Bytes that cannot be taken for text or padding, always the same.
    static func drawn(_ count: Int, seed: UInt64) -> [UInt8] {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33) | 0x80
        }
    }
}
