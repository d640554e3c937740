import CLatchkeyLibcrypto

/// libcrypto as a whole.
enum Libcrypto {
    /// Read before the first call of every function for which libcrypto keeps objects of its own.
    ///
    /// When a process ends, libcrypto frees those objects unless it was told not to. Code that still runs, in a
    /// function of `atexit` or in another thread, would then use freed objects. A program that initialised libcrypto
    /// itself has decided about that already: this changes nothing for it.
    static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
