/// A broken digest, as far as its use matters here.
package enum BrokenDigest: Sendable, Hashable {
    case md2, md4, md5, sha1

    var name: String {
        switch self {
        case .md2: "MD2"
        case .md4: "MD4"
        case .md5: "MD5"
        case .sha1: "SHA-1"
        }
    }
}

/// One digest that was computed. The bytes are valid only during the call.
@safe package struct DigestUse {
    package let digest: BrokenDigest
    package let result: UnsafeRawBufferPointer

    package init(digest: BrokenDigest, result: UnsafeRawBufferPointer) {
        self.digest = digest
        unsafe self.result = unsafe result
    }
}
