import CLatchkeyLibcrypto

/// The key derivations of libcrypto, looked up once per process.
enum KeyDerivation {
    // Set once and never changed, and their objects live as long as the process: safe in every thread.
    nonisolated(unsafe) private static let pbkdf2 = unsafe fetched("PBKDF2")
    nonisolated(unsafe) private static let hkdf = unsafe fetched("HKDF")
    nonisolated(unsafe) private static let kbkdf = unsafe fetched("KBKDF")
    nonisolated(unsafe) private static let x963kdf = unsafe fetched("X963KDF")

    private static func fetched(_ name: StaticString) -> OpaquePointer? {
        Libcrypto.isReady ? unsafe EVP_KDF_fetch(nil, name.characters, nil) : nil
    }

    /// Derives a key with PBKDF2 of RFC 8018. False if no key can be as long as `output`.
    static func passwordKey(
        of password: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, _ digest: Digest, rounds: UInt32,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let settings = unsafe [
            Setting.bytes("pass", password), .bytes("salt", salt), .number("iter", UInt64(rounds)),
            .name("digest", digest.name),
            // Old formats have few rounds and short salts. CryptoWatch reports them.
            .number("pkcs5", 1),
        ]
        return unsafe derive(pbkdf2, settings, into: output)
    }

    /// A half of HKDF, or both.
    enum HKDFStep {
        case whole, extract, expand

        fileprivate var name: StaticString {
            switch self {
            case .whole: "EXTRACT_AND_EXPAND"
            case .extract: "EXTRACT_ONLY"
            case .expand: "EXPAND_ONLY"
            }
        }
    }

    /// Derives a key with HKDF of RFC 5869. False if no key can be as long as `output`.
    static func hkdf(
        _ step: HKDFStep, _ key: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, info: UnsafeRawBufferPointer,
        _ digest: Digest, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let settings = unsafe [
            Setting.name("mode", step.name), .name("digest", digest.name), .bytes("key", key), .bytes("salt", salt),
            .bytes("info", info),
        ]
        return unsafe derive(hkdf, settings, into: output)
    }

    /// Derives a key with the counter mode of SP 800-108 with HMAC.
    /// - Parameter isFramed: true puts a zero between label and context, and the length behind them.
    static func counter(
        _ key: UnsafeRawBufferPointer, label: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
        isFramed: Bool, _ digest: Digest, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let settings = unsafe [
            Setting.name("mode", "counter"), .name("mac", "HMAC"), .name("digest", digest.name), .bytes("key", key),
            .bytes("salt", label), .bytes("info", context), .number("use-l", isFramed ? 1 : 0),
            .number("use-separator", isFramed ? 1 : 0),
        ]
        return unsafe derive(kbkdf, settings, into: output)
    }

    /// Derives a key with the function of ANSI X9.63.
    static func ansiX963(
        _ key: UnsafeRawBufferPointer, info: UnsafeRawBufferPointer, _ digest: Digest,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let settings = unsafe [Setting.name("digest", digest.name), .bytes("key", key), .bytes("info", info)]
        return unsafe derive(x963kdf, settings, into: output)
    }

    /// A setting of a derivation, under libcrypto's name for it.
    @safe private enum Setting {
        case bytes(StaticString, UnsafeRawBufferPointer)
        case number(StaticString, UInt64)
        case name(StaticString, StaticString)
    }

    private static func derive(
        _ implementation: OpaquePointer?, _ settings: [Setting], into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let context = unsafe EVP_KDF_CTX_new(implementation) else { return false }
        defer { unsafe EVP_KDF_CTX_free(context) }
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: settings.count) { numbers in
            var parameters = unsafe settings.indices.map { index in
                // The lists point to memory that is only read.
                let place = unsafe numbers.baseAddress.unsafelyUnwrapped + index
                unsafe place.initialize(to: 0)
                switch settings[index] {
                case .bytes(let key, let bytes):
                    // Empty bytes also get an address: without one libcrypto takes the setting for missing.
                    let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress) ?? .init(place)
                    return unsafe OSSL_PARAM_construct_octet_string(key.characters, start, bytes.count)
                case .number(let key, let number):
                    unsafe place.pointee = number
                    return unsafe OSSL_PARAM_construct_uint64(key.characters, place)
                case .name(let key, let name):
                    return unsafe OSSL_PARAM_construct_utf8_string(
                        key.characters, UnsafeMutablePointer(mutating: name.characters), 0)
                }
            }
            unsafe parameters.append(OSSL_PARAM_construct_end())
            let start = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
            return unsafe EVP_KDF_derive(context, start, output.count, parameters) == 1
        }
    }
}

extension StaticString {
    /// The characters with their end mark. They live as long as the process.
    var characters: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
