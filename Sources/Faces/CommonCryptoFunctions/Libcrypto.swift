import CLatchkeyLibcrypto

/// libcrypto as a whole.
enum Libcrypto {
    /// Asked before the first call of everything that libcrypto keeps objects of its own for.
    ///
    /// When a process ends, libcrypto takes those away unless it was told not to. Programs that are still at work, in a
    /// function of `atexit` or in another thread, would then work with what is gone. A program that initialised
    /// libcrypto itself has decided about that already: this changes nothing for it.
    static let isReady = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
}
