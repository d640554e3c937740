// Secrets that a program must not give to a broken digest, and keys that came out of one.

extension MisuseReview {
    /// Shorter bytes equal others by chance.
    private var shortestConfidential: Int { 4 }
    private var shortestText: Int { 8 }

    /// Notes bytes that are a secret, whatever the program does with them: an item of the keychain.
    package mutating func learn(secret bytes: ComparedBytes) {
        unsafe keepConfidential(bytes.bytes)
    }

    mutating func keepConfidential(_ bytes: UnsafeRawBufferPointer) {
        guard (shortestConfidential...longestSecret).contains(bytes.count) else { return }
        confidential[unsafe fingerprints.name(of: bytes)] = ()
    }

    mutating func keepConfidential(decrypted result: Fingerprints.Stream) {
        guard result.count >= shortestText else { return }
        confidential[result.name] = ()
    }

    mutating func digests(_ bytes: UnsafeRawBufferPointer, _ context: ObservedUse.Context) -> [Found] {
        var stream = openDigests[context] ?? fingerprints.stream()
        unsafe stream.feed(bytes)
        openDigests[context] = stream
        return []
    }

    mutating func digested(_ use: DigestUse, _ context: ObservedUse.Context, _ place: () -> Place) -> [Found] {
        let stream = openDigests[context]
        openDigests[context] = nil
        rememberDigest(use)
        guard let stream, confidential[stream.name] != nil else { return [] }
        return found([DigestRules.ofSecret(use.digest)], place)
    }

    /// Remembers the digest, and the part of it that is as long as a key for AES-128.
    private mutating func rememberDigest(_ use: DigestUse) {
        digestResults[unsafe fingerprints.name(of: use.result)] = use.digest
        guard unsafe use.result.count > 16 else { return }
        let start = unsafe UnsafeRawBufferPointer(rebasing: use.result.prefix(16))
        digestResults[unsafe fingerprints.name(of: start)] = use.digest
    }

    /// Returns the flaw of a key that came out of a digest, whole or with other bytes behind it.
    func digestFlaw(ofKey key: UnsafeRawBufferPointer) -> CryptoFlaw? {
        for count in [key.count, 20, 16] where count <= key.count {
            let start = unsafe UnsafeRawBufferPointer(rebasing: key.prefix(count))
            if let digest = unsafe digestResults[fingerprints.name(of: start)] { return DigestRules.asKey(digest) }
        }
        return nil
    }
}
