extension MisuseReview {
    /// Longer texts are documents, which are not compared with guesses.
    var longestSecret: Int { 4096 }
    /// Shorter bytes also occur in memory by chance.
    private var shortestSecret: Int { 8 }

    mutating func codeStarts(_ key: UnsafeRawBufferPointer, _ place: () -> Place) -> [Found] {
        unsafe keepConfidential(key)
        return found(unsafe KeyRules.isText(key) ? [KeyRules.textCode] : [], place)
    }

    mutating func derives(_ use: DerivationUse, _ place: () -> Place) -> [Found] {
        if let password = unsafe use.password { unsafe keepConfidential(password) }
        return found(DerivationRules.flaws(of: use), place)
    }

    mutating func authenticates(_ bytes: UnsafeRawBufferPointer, _ context: ObservedUse.Context) -> [Found] {
        guard unsafe !bytes.isEmpty else { return [] }
        unsafe authenticatedBytes.insertPieces(of: bytes)
        // A context that was copied to another address continues there: most likely it is the one that was used last.
        let tail = openCodes[context] ?? Tail(copying: latestTail)
        for before in [tail, latestTail].compactMap(\.self) {
            unsafe before.seam(bytes) { unsafe authenticatedBytes.insertPieces(of: $0) }
        }
        unsafe tail.append(bytes)
        openCodes[context] = tail
        latestTail = tail
        return []
    }

    mutating func authenticated(_ code: UnsafeRawBufferPointer, _ context: ObservedUse.Context) -> [Found] {
        // The tag of GCM covers the associated data like the text.
        if ciphers[context]?.mode == .gcm { unsafe ciphers[context]?.text?.feed(code) }
        unsafe remember(code: code)
        openCodes[context] = nil
        latestTail = nil
        return []
    }

    /// Returns true if one of these endings was authenticated, or is being authenticated: a program that decrypts piece
    /// by piece computes the code at the same time, and withholds the text until it knows.
    func isAuthenticated(_ endings: [AuthenticatedBytes.Name]) -> Bool {
        endings.contains { authenticatedBytes.contains($0) }
    }

    mutating func forgetAuthenticated() {
        for (number, ciphertext) in unauthenticated.elements where isAuthenticated(ciphertext.endings) {
            unauthenticated[number] = nil
        }
    }

    // MARK: Comparisons

    /// Returns the flaw of comparing these bytes in a way that stops at the first difference.
    package func compares(_ operand: ComparedBytes) -> CryptoFlaw? {
        guard unsafe secretLengths.contains(operand.bytes.count) else { return nil }
        return unsafe secrets[fingerprints.name(of: operand.bytes)] != nil ? CodeRules.variableTime : nil
    }

    mutating func remember(_ result: Fingerprints.Stream) {
        keepConfidential(decrypted: result)
        guard result.count >= shortestSecret else { return }
        remember(result.name, result.count)
    }

    /// Remembers the code, its beginning (codes are cut), and their forms as text.
    private mutating func remember(code: UnsafeRawBufferPointer) {
        let cut = [10, 12, 16, 20, 24, 32].filter { $0 < code.count }.map { unsafe Array(code.prefix($0)) }
        let whole = unsafe Array(code)
        let texts =
            [TextForm.lowercaseDigits, TextForm.uppercaseDigits].map { TextForm.hexadecimal(whole, $0) }
            + [TextForm.base64, TextForm.base64URL].flatMap { alphabet in
                [true, false].map { TextForm.base64(whole, alphabet, isPadded: $0) }
            }
        for form in [whole] + cut + texts where form.count >= shortestSecret {
            unsafe form.withUnsafeBytes { unsafe remember(fingerprints.name(of: $0), $0.count) }
        }
    }

    private mutating func remember(_ name: Fingerprints.Name, _ count: Int) {
        secrets[name] = ()
        secretLengths.insert(count)
    }
}
