/// The numbers of an RSA key from its PKCS#1 form, with all cheap checks.
@safe struct RSANumbers {
    /// Most significant byte first, without leading zeros. The caller keeps the form alive.
    let modulus: UnsafeRawBufferPointer
    let publicExponent: UnsafeRawBufferPointer
    /// In the order of PKCS#1; empty for a public key.
    let secrets: [UnsafeRawBufferPointer]
    let bits: Int

    /// Parses an `RSAPublicKey`, or an `RSAPrivateKey` with two primes. Sizes are checked before anything is computed.
    init(_ der: UnsafeRawBufferPointer, isPrivate: Bool) throws(KeyFailure) {
        guard der.count <= KeyForm.byteLimit else { throw .unsupported(what: "a key of more than 16 KiB") }
        var outer = unsafe KeyDERReader(unsafe der)
        var numbers = try outer.nested()
        try outer.end()
        if isPrivate {
            let version = try numbers.smallNumber()
            guard version == 0 else {
                throw version == 1
                    ? .unsupported(what: "RSA keys of more than two primes")
                    : .unreadable(reason: "an RSA private key of an unknown version")
            }
        }
        unsafe modulus = unsafe try numbers.number()
        unsafe publicExponent = unsafe try numbers.number()
        var secrets: [UnsafeRawBufferPointer] = unsafe []
        for _ in 0..<(isPrivate ? KeyNumber.ofPrivateRSA.count : 0) { unsafe secrets.append(try numbers.number()) }
        try numbers.end()
        unsafe self.secrets = unsafe secrets
        let leadingZeros = unsafe modulus.first?.leadingZeroBitCount ?? 0
        let bits = unsafe modulus.count * 8 - leadingZeros
        self.bits = bits
        guard KeyKind.rsaBits.contains(bits) else { throw .unsupported(what: "RSA keys of \(bits) bits") }
        guard let last = unsafe modulus.last, last % 2 == 1 else { throw .unreadable(reason: "the modulus is even") }
        let exponent = unsafe publicExponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard unsafe publicExponent.count <= 8 else {
            throw .unsupported(what: "RSA keys with a public exponent of more than 64 bits")
        }
        guard exponent > 1, exponent % 2 == 1 else { throw .unreadable(reason: "the public exponent is even or 1") }
        for index in unsafe secrets.indices {
            guard unsafe secrets[index].count <= modulus.count, unsafe !secrets[index].isEmpty else {
                throw .unreadable(reason: "a private number is zero or longer than the modulus")
            }
        }
    }
}

extension RSANumbers {
    private static let primeByteLimit = KeyKind.rsaBits.upperBound / 16 + 16

    /// Checks that the private numbers belong together and to the modulus: a few multiplications, and one power for
    /// each prime to notice a composite factor. It does not prove that the factors are prime, which takes seconds for
    /// long keys.
    func checkPrivateNumbers() throws(KeyFailure) {
        let arithmetic = Arithmetic()
        let n = unsafe BigNumber(unsafe modulus)
        let e = unsafe BigNumber(unsafe publicExponent)
        let d = unsafe BigNumber(secrets[0])
        let p = unsafe BigNumber(secrets[1])
        let q = unsafe BigNumber(secrets[2])
        // A prime longer than half of the longest modulus would only keep the processor busy.
        guard unsafe secrets[1].count <= Self.primeByteLimit, unsafe secrets[2].count <= Self.primeByteLimit else {
            throw .unsupported(what: "RSA keys with a prime of more than \(Self.primeByteLimit * 8) bits")
        }
        guard p.isOdd, q.isOdd, !p.isOne, !q.isOne, arithmetic.product(p, q).equals(n), d.isBelow(n) else {
            throw .unreadable(reason: "the primes do not make the modulus")
        }
        // The primes, and the private exponent modulo each prime less one.
        for (primeIndex, exponentIndex) in [(1, 3), (2, 4)] {
            let prime = unsafe BigNumber(secrets[primeIndex])
            let exponent = unsafe BigNumber(secrets[exponentIndex])
            let order = prime.predecessor()
            guard exponent.equals(arithmetic.remainder(d, order)),
                arithmetic.product(arithmetic.remainder(e, order), exponent, modulo: order).isOne
            else { throw .unreadable(reason: "the exponents do not belong together") }
            guard arithmetic.power(BigNumber(2), order, modulo: prime).isOne else {
                throw .unreadable(reason: "a factor of the modulus is not prime")
            }
        }
        let coefficient = unsafe BigNumber(unsafe secrets[5])
        guard coefficient.isBelow(p), arithmetic.product(coefficient, q, modulo: p).isOne else {
            throw .unreadable(reason: "the coefficient does not belong to the primes")
        }
    }
}

/// The size limits of keys.
enum KeyForm {
    /// The largest key, RSA of 8192 bits, has less than 5 KiB.
    static let byteLimit = 16 * 1024
    static let textByteLimit = 64 * 1024
}
