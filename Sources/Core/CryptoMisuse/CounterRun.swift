/// The counters that one message in CTR used, and its blocks.
struct CounterRun: Sendable {
    private let first: UInt64
    private let blockByteCount: Int
    private var byteCount = 0
    private var text: BlockNames
    private var ciphertext: BlockNames

    init(first: UInt64, blockByteCount: Int, _ fingerprints: Fingerprints) {
        self.first = first
        self.blockByteCount = blockByteCount
        text = BlockNames(fingerprints, blockByteCount: blockByteCount)
        ciphertext = text
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        unsafe text.append(bytes)
    }

    mutating func give(_ bytes: UnsafeRawBufferPointer) {
        unsafe ciphertext.append(bytes)
        byteCount += bytes.count
    }

    var isEmpty: Bool { byteCount == 0 }

    private var blockCount: Int { (byteCount + blockByteCount - 1) / blockByteCount }

    /// Returns true if a later message with the same key used a counter of this one for another text. Two that begin
    /// with the same counter have the same IV, which is another flaw.
    ///
    /// A stream over its own ciphertext decrypts it, and one over the same text gives the same ciphertext: neither
    /// counts.
    func isUsedAgain(by later: CounterRun) -> Bool {
        guard let (mine, other) = firstCommonBlock(with: later) else { return false }
        let count = min(blockCount - mine, later.blockCount - other, BlockNames.limit)
        var isKnown = false
        for index in 0..<count {
            guard let block = later.text[other + index], let before = text[mine + index] else { break }
            // A block that is cut in one of the two cannot be compared.
            guard text.byteCount(of: mine + index) == later.text.byteCount(of: other + index) else { continue }
            isKnown = true
            guard block == before || block == ciphertext[mine + index] else { return true }
        }
        return !isKnown && mine < BlockNames.limit && other < BlockNames.limit
    }

    /// Returns the index of the first block with a common counter in both; nil if there is none, or if they begin with
    /// the same.
    private func firstCommonBlock(with later: CounterRun) -> (mine: Int, other: Int)? {
        guard first != later.first else { return nil }
        let (forward, back) = (later.first &- first, first &- later.first)
        if forward < UInt64(blockCount) { return (Int(forward), 0) }
        if back < UInt64(later.blockCount) { return (0, Int(back)) }
        return nil
    }
}
