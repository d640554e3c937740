@_implementationOnly import CLatchkeyLibcrypto

/// A place of libcrypto in which its module for algorithms of old is loaded beside the usual ones. It is used for
/// PKCS#12 files alone: nothing else of the process can fall back to these algorithms.
@safe final class LegacyProvider: Sendable {
    // Sendable because nothing changes after it was made, and libcrypto guards its own state.
    nonisolated(unsafe) let context: OpaquePointer?
    /// Whether the module is installed.
    let isComplete: Bool

    /// The one of this process; it lives as long.
    static let shared = LegacyProvider(modules: ["default", "legacy"])

    /// - Parameter modules: all are needed to be complete.
    init(modules: [String]) {
        let context = unsafe OSSL_LIB_CTX_new()
        // Without a place of its own a module would be loaded for the whole process.
        isComplete = unsafe context != nil && modules.allSatisfy { unsafe OSSL_PROVIDER_load(context, $0) != nil }
        unsafe self.context = unsafe context
        ERR_clear_error()
    }

    deinit {
        unsafe OSSL_LIB_CTX_free(context)
    }
}
