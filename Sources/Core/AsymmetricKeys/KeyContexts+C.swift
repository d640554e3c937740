import LatchkeyThreading

@_implementationOnly import CLatchkeyLibcrypto

/// A pool of libcrypto's contexts for one operation with one key.
///
/// Making one costs several look-ups by name. A context serves one thread at a time, so each caller takes one out of
/// the pool and returns it.
@safe final class KeyContexts: Sendable {
    /// Sendable because only the caller that took it uses it.
    @safe struct Context: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    enum Operation: Sendable {
        case sign
        case agree
    }

    private let key: KeyHandle
    private let operation: Operation
    private let idle = ForkMutex<[Context]>([])
    /// More threads than this at the same time make new contexts.
    private static let idleLimit = 4

    init(_ key: KeyHandle, _ operation: Operation) {
        self.key = key
        self.operation = operation
    }

    deinit {
        idle.withLock { idle in
            for context in idle { unsafe EVP_PKEY_CTX_free(context.pointer) }
        }
    }

    /// Calls `body` with a context; nil if libcrypto cannot make one.
    func withContext<R>(_ body: (OpaquePointer) -> R) -> R? {
        guard let context = idle.withLock({ $0.popLast() }) ?? make() else { return nil }
        defer { bringBack(context) }
        return unsafe body(context.pointer)
    }

    private func bringBack(_ context: Context) {
        let isKept = idle.withLock { idle in
            guard idle.count < Self.idleLimit else { return false }
            idle.append(context)
            return true
        }
        if !isKept { unsafe EVP_PKEY_CTX_free(context.pointer) }
    }

    private func make() -> Context? {
        guard let context = unsafe EVP_PKEY_CTX_new(key.key, nil) else { return nil }
        let isReady =
            switch operation {
            case .sign: unsafe EVP_PKEY_sign_init(context)
            case .agree: unsafe EVP_PKEY_derive_init(context)
            }
        guard isReady == 1 else {
            unsafe EVP_PKEY_CTX_free(context)
            return nil
        }
        return unsafe Context(pointer: context)
    }
}
