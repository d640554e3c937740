@_implementationOnly import CLatchkeyLibcrypto

/// A library context of libcrypto with the provider for legacy algorithms beside the usual one. Only PKCS#12 files use
/// it: no other code of the process can fall back to these algorithms.
@safe final class LegacyProvider: Sendable {
    // Sendable because nothing changes after initialisation, and libcrypto guards its own state.
    nonisolated(unsafe) let context: OpaquePointer?
    /// True if all providers are installed.
    let isComplete: Bool

    /// The instance of this process; it is never released.
    static let shared = LegacyProvider(modules: ["default", "legacy"])

    /// - Parameter modules: the providers to load; the context is complete if all are.
    init(modules: [String]) {
        let context = unsafe OSSL_LIB_CTX_new()
        // Without a context of its own a provider would be loaded for the whole process.
        isComplete = unsafe context != nil && modules.allSatisfy { unsafe OSSL_PROVIDER_load(context, $0) != nil }
        unsafe self.context = unsafe context
        ERR_clear_error()
    }

    deinit {
        unsafe OSSL_LIB_CTX_free(context)
    }
}
