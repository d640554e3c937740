extension MisuseReview {
    /// Ciphers whose place matters later, and those that need none.
    mutating func starts(_ use: CipherUse, _ context: ObservedUse.Context, _ place: () -> Place) -> [Found] {
        let flaws = CipherRules.flaws(of: use)
        let isMissingIV = use.mode == .cbc && IVRules.isMissing(use)
        let isOnce = use.isEncrypting && IVRules.repeated(use.mode) != nil && !isMissingIV
        let needsPlace = !flaws.isEmpty || isOnce || use.mode == .cbc
        let where_ = needsPlace ? place() : nil
        // A message that another follows in the same cryptor, after a reset, ends here.
        let before = ends(context)
        ciphers[context] = RunningCipher(
            mode: use.mode, isEncrypting: use.isEncrypting, place: where_,
            flawsOfIV: isMissingIV ? [IVRules.missing] : [], name: isOnce ? name(use) : nil,
            result: use.isEncrypting ? nil : fingerprints.stream())
        guard let where_ else { return before }
        return before + flaws.map { Found(flaw: $0, place: where_) }
    }

    /// Only now does it count which IV the cipher has: one that is made and then reset with another has used none.
    mutating func takes(_ bytes: UnsafeRawBufferPointer, _ context: ObservedUse.Context) -> [Found] {
        guard unsafe !bytes.isEmpty, var cipher = ciphers[context] else { return [] }
        defer { ciphers[context] = cipher }
        if cipher.mode == .cbc, !cipher.isEncrypting { unsafe cipher.lastBlock.append(bytes) }
        var flaws = cipher.flawsOfIV
        cipher.flawsOfIV = []
        if let name = cipher.name {
            cipher.name = nil
            if unsafe isSecondUse(of: name, cipher.mode, bytes) {
                flaws += [IVRules.repeated(cipher.mode)].compactMap(\.self)
            }
            if usedIVs[name] == nil { usedIVs[name] = .some(nil) }
            cipher.awaitsOutput = name
        }
        guard let place = cipher.place else { return [] }
        return flaws.map { Found(flaw: $0, place: place) }
    }

    mutating func gives(_ bytes: UnsafeRawBufferPointer, _ context: ObservedUse.Context) -> [Found] {
        guard unsafe !bytes.isEmpty, var cipher = ciphers[context] else { return [] }
        defer { ciphers[context] = cipher }
        if cipher.mode == .cbc, cipher.isEncrypting { unsafe cipher.lastBlock.append(bytes) }
        if let name = cipher.awaitsOutput {
            cipher.awaitsOutput = nil
            if case .some(nil) = usedIVs[name] { usedIVs[name] = unsafe MessageStart(bytes, fingerprints) }
        }
        guard var result = cipher.result else { return [] }
        guard result.count + bytes.count <= longestSecret else {
            cipher.result = nil
            return []
        }
        unsafe result.feed(bytes)
        cipher.result = result
        remember(result)
        return []
    }

    mutating func ends(_ context: ObservedUse.Context) -> [Found] {
        guard let cipher = ciphers[context] else { return [] }
        ciphers[context] = nil
        guard cipher.mode == .cbc, let place = cipher.place else { return [] }
        let endings = cipher.lastBlock.endings(authenticatedBytes)
        guard !endings.isEmpty, !isAuthenticated(endings) else { return [] }
        guard cipher.isEncrypting else {
            return [Found(flaw: CodeRules.unauthenticated(isEncrypting: false), place: place)]
        }
        ciphertextCount += 1
        if ciphertextCount % sweepInterval == 0 { forgetAuthenticated() }
        unauthenticated[ciphertextCount] = Unauthenticated(endings: endings, place: place)
        return []
    }

    /// In modes that only add a stream, encrypting a ciphertext once more decrypts it: such a use is none of two messages.
    private func isSecondUse(of name: Fingerprints.Name, _ mode: CipherUse.Mode, _ bytes: UnsafeRawBufferPointer)
        -> Bool
    {
        guard let earlier = usedIVs[name] else { return false }
        switch mode {
        case .ctr, .ofb, .rc4:
            guard let start = earlier else { return true }
            return unsafe !start.isSame(as: MessageStart(bytes, fingerprints))
        case .cbc, .cfb, .cfb8, .gcm, .ecb, .xts:
            return true
        }
    }

    private func name(_ use: CipherUse) -> Fingerprints.Name {
        var stream = fingerprints.stream()
        let kind = "\(use.cipher) \(use.mode) \(unsafe use.key.count)"
        for var byte in kind.utf8 { unsafe withUnsafeBytes(of: &byte) { unsafe stream.feed($0) } }
        unsafe stream.feed(use.key)
        if use.mode != .rc4, let iv = unsafe use.iv, !IVRules.isMissing(use) { unsafe stream.feed(iv) }
        return stream.name
    }
}
