@_implementationOnly import CLatchkeyLibcrypto

extension Certificate {
    /// The size limit of a text: more certificates than any collection of anchors has.
    package static let textLimit = 16 << 20

    /// Parses every certificate of a PEM text, in its order; ignores other blocks.
    package static func all(pem: [UInt8]) throws(CertificateFailure) -> [Certificate] {
        guard pem.count <= textLimit else { throw .tooLarge(what: "text of \(pem.count) bytes") }
        defer { ERR_clear_error() }
        var certificates: [Certificate] = []
        for block in try blocks(pem) { certificates.append(try Certificate(der: block)) }
        return certificates
    }

    /// Returns the bytes of the certificates. libcrypto wipes keys in the same text after skipping them.
    private static func blocks(_ pem: [UInt8]) throws(CertificateFailure) -> [[UInt8]] {
        let (blocks, isComplete) = unsafe pem.withUnsafeBytes { text -> ([[UInt8]], Bool) in
            let input = unsafe BIO_new_mem_buf(text.baseAddress, Int32(text.count))
            defer { unsafe BIO_free(input) }
            var blocks: [[UInt8]] = []
            while true {
                var name: UnsafeMutablePointer<CChar>?
                var header: UnsafeMutablePointer<CChar>?
                var content: UnsafeMutablePointer<UInt8>?
                var count = 0
                let flags = UInt32(PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE)
                guard unsafe PEM_read_bio_ex(input, &name, &header, &content, &count, flags) == 1 else {
                    return (blocks, isAtEndOfText)
                }
                if let name = unsafe name, let content = unsafe content, isCertificate(unsafe String(cString: name)) {
                    unsafe blocks.append([UInt8](UnsafeBufferPointer(start: content, count: count)))
                }
                unsafe CRYPTO_secure_free(name, #fileID, #line)
                unsafe CRYPTO_secure_free(header, #fileID, #line)
                unsafe CRYPTO_secure_clear_free(content, count, #fileID, #line)
            }
        }
        guard isComplete else { throw .unreadable(reason: "A block of the text is damaged.") }
        return blocks
    }

    private static func isCertificate(_ name: String) -> Bool {
        name == PEM_STRING_X509 || name == PEM_STRING_X509_OLD
    }

    /// True if libcrypto stopped because there is no further block.
    private static var isAtEndOfText: Bool {
        let error = ERR_peek_last_error()
        // ERR_GET_LIB and ERR_GET_REASON are macros that Swift does not see.
        return (error >> 23) & 0xFF == UInt(ERR_LIB_PEM) && error & 0x7F_FFFF == UInt(PEM_R_NO_START_LINE)
    }

    /// The PEM text of type `CERTIFICATE`, with a line end at its end.
    package var pem: String {
        let output = unsafe BIO_new(BIO_s_mem())
        defer { unsafe BIO_free(output) }
        let isWritten = unsafe PEM_write_bio(output, PEM_STRING_X509, "", der, der.count) > 0
        var start: UnsafeMutableRawPointer?
        let count = unsafe BIO_ctrl(output, BIO_CTRL_INFO, 0, &start)
        precondition(isWritten && count > 0, "libcrypto writes no text")
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
