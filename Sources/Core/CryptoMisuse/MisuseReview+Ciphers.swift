extension MisuseReview {
    /// Starts a cipher; `place` is only evaluated if it is needed now or later.
    mutating func starts(_ use: CipherUse, _ context: ObservedUse.Context, _ place: () -> Place) -> [Found] {
        var flaws = CipherRules.flaws(of: use)
        if let flaw = unsafe digestFlaw(ofKey: use.key) { flaws.append(flaw) }
        unsafe keepConfidential(use.key)
        let isMissingIV = use.mode == .cbc && IVRules.isMissing(use)
        let isOnce = use.isEncrypting && IVRules.repeated(use.mode) != nil && !isMissingIV
        let needsPlace = !flaws.isEmpty || isOnce || use.mode == .cbc
        let where_ = needsPlace ? place() : nil
        // A reset starts another message in the same cryptor and ends this one.
        let before = ends(context)
        ciphers[context] = RunningCipher(
            mode: use.mode, isEncrypting: use.isEncrypting, place: where_,
            flawsOfIV: isMissingIV ? [IVRules.missing] : [], name: isOnce ? name(use) : nil,
            text: isOnce ? fingerprints.stream() : nil, counters: isOnce ? counters(of: use) : nil,
            result: use.isEncrypting ? nil : fingerprints.stream())
        guard let where_ else { return before }
        return before + flaws.map { Found(flaw: $0, place: where_) }
    }

    /// Only input makes the IV count: a cipher that is made and then reset with another IV has not used the first.
    mutating func takes(_ bytes: UnsafeRawBufferPointer, _ context: ObservedUse.Context) -> [Found] {
        guard unsafe !bytes.isEmpty, var cipher = ciphers[context] else { return [] }
        defer { ciphers[context] = cipher }
        if cipher.mode == .cbc, !cipher.isEncrypting { unsafe cipher.lastBlock.append(bytes) }
        let flaws = cipher.flawsOfIV
        cipher.flawsOfIV = []
        if cipher.text != nil {
            if cipher.textStart == nil { cipher.textStart = unsafe MessageStart(bytes, fingerprints) }
            unsafe cipher.text?.feed(bytes)
            unsafe cipher.counters?.run.take(bytes)
        }
        guard let place = cipher.place else { return [] }
        return flaws.map { Found(flaw: $0, place: place) }
    }

    mutating func gives(_ bytes: UnsafeRawBufferPointer, _ context: ObservedUse.Context) -> [Found] {
        guard unsafe !bytes.isEmpty, var cipher = ciphers[context] else { return [] }
        defer { ciphers[context] = cipher }
        if cipher.mode == .cbc, cipher.isEncrypting { unsafe cipher.lastBlock.append(bytes) }
        unsafe cipher.counters?.run.give(bytes)
        let flaw = unsafe useOfIV(&cipher, bytes)
        guard var result = cipher.result else {
            guard let flaw, let place = cipher.place else { return [] }
            return [Found(flaw: flaw, place: place)]
        }
        guard result.count + bytes.count <= longestSecret else {
            cipher.result = nil
            return []
        }
        unsafe result.feed(bytes)
        cipher.result = result
        remember(result)
        return []
    }

    /// Returns the flaw of a repeated IV. Only output uses an IV: a failed call has revealed nothing.
    private mutating func useOfIV(
        _ cipher: inout RunningCipher, _ output: UnsafeRawBufferPointer
    ) -> CryptoFlaw? {
        guard let name = cipher.name, let start = cipher.textStart else { return nil }
        cipher.name = nil
        guard let first = usedIVs[name] else {
            usedIVs[name] = MessageRecord(text: start, ciphertext: unsafe MessageStart(output, fingerprints))
            cipher.noted = name
            return nil
        }
        // In modes that only add a stream, encrypting a ciphertext again decrypts it.
        if cipher.mode.isStream, start.isSame(as: first.ciphertext) { return nil }
        guard start.isSame(as: first.text) else { return IVRules.repeated(cipher.mode) }
        cipher.repeats = name
        return nil
    }

    mutating func ends(_ context: ObservedUse.Context) -> [Found] {
        guard let cipher = ciphers[context] else { return [] }
        ciphers[context] = nil
        guard let place = cipher.place else { return [] }
        let flaws = [flawOfRepetition(cipher), flawOfCounters(cipher), unauthenticated(cipher, place)]
        return flaws.compactMap(\.self).map { Found(flaw: $0, place: place) }
    }

    /// Returns the flaw of a repeated IV, unless the message is the same: that has the same ciphertext, which reveals
    /// nothing.
    private mutating func flawOfRepetition(_ cipher: RunningCipher) -> CryptoFlaw? {
        if let noted = cipher.noted { usedIVs[noted]?.whole = cipher.text?.name }
        guard let name = cipher.repeats, let whole = usedIVs[name]?.whole, whole != cipher.text?.name else {
            return nil
        }
        return IVRules.repeated(cipher.mode)
    }

    private mutating func flawOfCounters(_ cipher: RunningCipher) -> CryptoFlaw? {
        guard let (name, run) = cipher.counters, !run.isEmpty else { return nil }
        var runs = counterRuns[name] ?? []
        let isUsedAgain = runs.contains { $0.isUsedAgain(by: run) }
        if runs.count >= runLimit { runs.removeFirst() }
        counterRuns[name] = runs + [run]
        return isUsedAgain ? IVRules.overlapping : nil
    }

    /// The number of messages that are compared for one key.
    private var runLimit: Int { 16 }

    private mutating func unauthenticated(_ cipher: RunningCipher, _ place: Place) -> CryptoFlaw? {
        guard cipher.mode == .cbc else { return nil }
        let endings = cipher.lastBlock.endings(authenticatedBytes)
        guard !endings.isEmpty, !isAuthenticated(endings) else { return nil }
        guard cipher.isEncrypting else { return CodeRules.unauthenticated(isEncrypting: false) }
        ciphertextCount += 1
        if ciphertextCount % sweepInterval == 0 { forgetAuthenticated() }
        unauthenticated[ciphertextCount] = Unauthenticated(endings: endings, place: place)
        return nil
    }

    /// The start of CTR's counter: with AES the last eight bytes of the block, else the whole block.
    private func counters(of use: CipherUse) -> (name: Fingerprints.Name, run: CounterRun)? {
        guard use.mode == .ctr else { return nil }
        let blockByteCount = use.cipher == .aes ? 16 : 8
        var block = [UInt8](repeating: 0, count: blockByteCount)
        if let iv = unsafe use.iv, iv.count == blockByteCount { block = unsafe Array(iv) }
        let first = block.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let fixed = Array(block.dropLast(8))
        let ofKey = unsafe fixed.withUnsafeBytes { unsafe name(use, iv: $0) }
        return (ofKey, CounterRun(first: first, blockByteCount: blockByteCount, fingerprints))
    }

    private func name(_ use: CipherUse) -> Fingerprints.Name {
        let iv = unsafe use.mode == .rc4 || IVRules.isMissing(use) ? nil : use.iv
        return unsafe name(use, iv: iv)
    }

    private func name(_ use: CipherUse, iv: UnsafeRawBufferPointer?) -> Fingerprints.Name {
        var stream = fingerprints.stream()
        let kind = "\(use.cipher) \(use.mode) \(unsafe use.key.count)"
        for var byte in kind.utf8 { unsafe withUnsafeBytes(of: &byte) { unsafe stream.feed($0) } }
        unsafe stream.feed(use.key)
        if let iv = unsafe iv { unsafe stream.feed(iv) }
        return stream.name
    }
}
