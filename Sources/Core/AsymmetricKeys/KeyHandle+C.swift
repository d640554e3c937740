import LatchkeyCryptoSuite
import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// A key of libcrypto, freed and wiped by libcrypto when the last owner releases it.
///
/// Sendable because the key does not change after initialisation, and libcrypto counts its users with atomics.
@safe final class KeyHandle: @unchecked Sendable {
    let key: OpaquePointer

    private init(owning key: OpaquePointer) {
        unsafe self.key = unsafe key
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    /// A parameter of a key for libcrypto.
    @safe enum Parameter {
        /// Most significant byte first.
        case number(UnsafeRawBufferPointer)
        case bytes(UnsafeRawBufferPointer)
        case text(StaticString)

        fileprivate var byteCount: Int {
            switch self {
            case .number(let bytes), .bytes(let bytes): bytes.count
            case .text(let text): text.utf8CodeUnitCount
            }
        }
    }

    /// Makes a key from its numbers; nil if libcrypto refuses them, for instance a point off the curve.
    convenience init?(_ type: KeyType, isPrivate: Bool, _ parameters: [(name: StaticString, value: Parameter)]) {
        Libcrypto.begin()
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type.libcryptoName, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        let publicHalf =
            OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS
            | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
        let selection = isPrivate ? publicHalf | OSSL_KEYMGMT_SELECT_PRIVATE_KEY : publicHalf
        // libcrypto needs its own byte order; the copy is wiped at once. The additional byte after each value is zero:
        // it ends texts, which libcrypto reads as C strings, and distinguishes empty values from missing ones.
        let room = parameters.reduce(0) { $0 + $1.value.byteCount + 1 }
        _ = unsafe SecretBox(count: room) { room in
            var list: [OSSL_PARAM] = unsafe []
            var place = 0
            for (name, value) in parameters {
                let count = value.byteCount
                let area = unsafe UnsafeMutableRawBufferPointer(rebasing: room[place..<place + count])
                unsafe list.append(value.placed(in: area, named: name))
                place += count + 1
            }
            unsafe list.append(OSSL_PARAM_construct_end())
            guard unsafe EVP_PKEY_fromdata_init(context) == 1,
                unsafe EVP_PKEY_fromdata(context, &key, selection, &list) == 1
            else { return }
        }
        guard let key = unsafe key else {
            ERR_clear_error()
            return nil
        }
        unsafe self.init(owning: key)
    }

    /// Makes a random key.
    convenience init?(generating kind: KeyKind) {
        Libcrypto.begin()
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, kind.type.libcryptoName, nil) else { return nil }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1 else { return nil }
        switch kind {
        case .rsa(let bits):
            guard unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1 else { return nil }
        case .ellipticCurve(let curve):
            let name = curve.groupName.description
            guard unsafe EVP_PKEY_CTX_set_group_name(context, name) == 1 else { return nil }
        }
        guard unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key else { return nil }
        unsafe self.init(owning: key)
    }

    /// Returns the number of this name, most significant byte first, in `byteCount` bytes.
    func number(_ name: StaticString, byteCount: Int) -> SecretBox {
        unsafe SecretBox(count: byteCount) { output in
            let start = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
            var list = unsafe [
                OSSL_PARAM_construct_BN(name.cString, start, byteCount), OSSL_PARAM_construct_end(),
            ]
            let done = unsafe EVP_PKEY_get_params(key, &list) == 1
            unsafe precondition(done && list[0].return_size <= byteCount, "libcrypto does not tell a number of a key")
            // Bytes that libcrypto did not write are zero: it writes the least significant byte first.
            unsafe reverse(output)
        }
    }

    /// Returns the bytes of this name: a point.
    func bytes(_ name: StaticString, byteCount: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let done = unsafe bytes.withUnsafeMutableBytes { area in
            var list = unsafe [
                OSSL_PARAM_construct_octet_string(name.cString, area.baseAddress, area.count),
                OSSL_PARAM_construct_end(),
            ]
            return unsafe EVP_PKEY_get_params(key, &list) == 1 && list[0].return_size == byteCount
        }
        precondition(done, "libcrypto does not tell a point")
        return bytes
    }
}

extension KeyHandle.Parameter {
    /// Copies the value into `area` and returns its parameter.
    fileprivate func placed(in area: UnsafeMutableRawBufferPointer, named name: StaticString) -> OSSL_PARAM {
        let start = area.baseAddress
        switch self {
        case .number(let bytes):
            unsafe area.copyMemory(from: bytes)
            unsafe reverse(area)
            return unsafe OSSL_PARAM_construct_BN(
                name.cString, start?.assumingMemoryBound(to: UInt8.self), area.count)
        case .bytes(let bytes):
            unsafe area.copyMemory(from: bytes)
            return unsafe OSSL_PARAM_construct_octet_string(name.cString, start, area.count)
        case .text(let text):
            unsafe area.copyMemory(from: UnsafeRawBufferPointer(start: text.utf8Start, count: area.count))
            return unsafe OSSL_PARAM_construct_utf8_string(
                name.cString, start?.assumingMemoryBound(to: CChar.self), area.count)
        }
    }
}

/// Reverses a number: its most significant byte is first here, and last in libcrypto's parameters.
private func reverse(_ bytes: UnsafeMutableRawBufferPointer) {
    for index in 0..<bytes.count / 2 { unsafe bytes.swapAt(index, bytes.count - 1 - index) }
}

extension StaticString {
    /// Lives as long as the process.
    fileprivate var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

extension KeyType {
    var libcryptoName: String {
        switch self {
        case .rsa: "RSA"
        case .ellipticCurve: "EC"
        }
    }
}

/// The names of keys' numbers in libcrypto.
enum KeyNumber {
    static let group: StaticString = "group"
    static let point: StaticString = "pub"
    static let privateNumber: StaticString = "priv"
    static let modulus: StaticString = "n"
    static let publicExponent: StaticString = "e"
    /// The numbers of an RSA private key after modulus and public exponent, in the order of PKCS#1.
    static let ofPrivateRSA: [StaticString] = [
        "d", "rsa-factor1", "rsa-factor2", "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1",
    ]
}
