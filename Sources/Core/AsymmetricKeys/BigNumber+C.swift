@_implementationOnly import CLatchkeyLibcrypto

/// A secret number of libcrypto, wiped when it is released. Its arithmetic takes the same time for all values where
/// libcrypto supports that.
@safe struct BigNumber: ~Copyable {
    let pointer: OpaquePointer

    /// Most significant byte first.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init()
        let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        let done = unsafe BN_bin2bn(start, Int32(bytes.count), pointer) != nil
        precondition(done, "libcrypto has no memory for a number")
    }

    /// Makes the number zero.
    init() {
        guard let pointer = unsafe BN_secure_new() else { preconditionFailure("no memory left for a number") }
        unsafe self.pointer = unsafe pointer
        unsafe BN_set_flags(pointer, BN_FLG_CONSTTIME)
    }

    init(_ word: UInt) {
        self.init()
        unsafe BN_set_word(pointer, word)
    }

    deinit {
        unsafe BN_clear_free(pointer)
    }

    var isOdd: Bool { unsafe BN_is_odd(pointer) == 1 }
    var isOne: Bool { unsafe BN_is_one(pointer) == 1 }
    var bitCount: Int { unsafe Int(BN_num_bits(pointer)) }

    func equals(_ other: borrowing BigNumber) -> Bool {
        unsafe BN_cmp(pointer, other.pointer) == 0
    }

    func isBelow(_ other: borrowing BigNumber) -> Bool {
        unsafe BN_cmp(pointer, other.pointer) < 0
    }

    /// Returns the number less one; the number is not zero.
    func predecessor() -> BigNumber {
        let one = BigNumber(1)
        let result = BigNumber()
        unsafe BN_sub(result.pointer, pointer, one.pointer)
        return result
    }
}

/// The scratch memory of libcrypto's arithmetic.
@safe struct Arithmetic: ~Copyable {
    private let context: OpaquePointer

    init() {
        guard let context = unsafe BN_CTX_secure_new() else { preconditionFailure("no memory left for numbers") }
        unsafe self.context = unsafe context
    }

    deinit {
        unsafe BN_CTX_free(context)
    }

    func product(_ one: borrowing BigNumber, _ other: borrowing BigNumber) -> BigNumber {
        let result = BigNumber()
        unsafe BN_mul(result.pointer, one.pointer, other.pointer, context)
        return result
    }

    func remainder(_ number: borrowing BigNumber, _ modulus: borrowing BigNumber) -> BigNumber {
        let result = BigNumber()
        unsafe BN_nnmod(result.pointer, number.pointer, modulus.pointer, context)
        return result
    }

    func product(
        _ one: borrowing BigNumber, _ other: borrowing BigNumber, modulo modulus: borrowing BigNumber
    ) -> BigNumber {
        let result = BigNumber()
        unsafe BN_mod_mul(result.pointer, one.pointer, other.pointer, modulus.pointer, context)
        return result
    }

    /// Computes `base` to the power of `exponent`; the modulus is odd.
    func power(
        _ base: borrowing BigNumber, _ exponent: borrowing BigNumber, modulo modulus: borrowing BigNumber
    ) -> BigNumber {
        let result = BigNumber()
        unsafe BN_mod_exp(result.pointer, base.pointer, exponent.pointer, modulus.pointer, context)
        return result
    }

    /// Calls `body` with the scratch memory, for functions of libcrypto that need it.
    func lend<R>(_ body: (OpaquePointer) -> R) -> R {
        unsafe body(context)
    }
}
