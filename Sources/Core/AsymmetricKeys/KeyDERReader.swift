import LatchkeyEncoding

/// A reader of strict DER, as far as keys and signatures need it: short tags, lengths of at most three bytes, no rest.
///
/// The caller keeps the bytes alive as long as the reader lives; they may be secret.
@safe struct KeyDERReader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe rest = unsafe bytes
    }

    var isAtEnd: Bool { unsafe rest.isEmpty }

    /// The next tag, if any.
    var nextTag: UInt8? { unsafe rest.first }

    /// Reads the contents of the next value, which must have this tag.
    mutating func contents(_ tag: UInt8) throws(KeyFailure) -> UnsafeRawBufferPointer {
        guard unsafe rest.first == tag else {
            throw .unreadable(reason: "the DER has another tag than expected, or ends too early")
        }
        let header: DERHeader
        do throws(DERHeader.Failure) {
            header = unsafe try DERHeader(rest, lengthByteLimit: 3)
        } catch {
            throw .unreadable(
                reason: error == .truncated
                    ? "the bytes end too early" : "a length is too large, or not minimal")
        }
        let found = unsafe UnsafeRawBufferPointer(rebasing: rest[header.count..<header.valueCount])
        unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest[header.valueCount...])
        return unsafe found
    }

    /// Returns a reader of the contents of the next value.
    mutating func nested(_ tag: UInt8 = DERTag.sequence) throws(KeyFailure) -> KeyDERReader {
        unsafe KeyDERReader(try contents(tag))
    }

    /// Reads a number that is not negative, most significant byte first, without a leading zero; empty for zero.
    mutating func number() throws(KeyFailure) -> UnsafeRawBufferPointer {
        let bytes = unsafe try contents(DERTag.integer)
        guard let first = unsafe bytes.first, first < 0x80 else {
            throw .unreadable(reason: "a number is negative or empty")
        }
        guard first == 0 else { return unsafe bytes }
        if bytes.count > 1, unsafe bytes[1] < 0x80 {
            throw .unreadable(reason: "a number is not minimal")
        }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    }

    /// Reads a number of at most eight bytes.
    mutating func smallNumber() throws(KeyFailure) -> UInt64 {
        let bytes = unsafe try number()
        guard bytes.count <= 8 else { throw .unreadable(reason: "a number is too large") }
        return unsafe bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads a bit string of whole bytes.
    mutating func bitString() throws(KeyFailure) -> UnsafeRawBufferPointer {
        let bytes = unsafe try contents(DERTag.bitString)
        guard unsafe bytes.first == 0 else { throw .unreadable(reason: "a bit string does not have whole bytes") }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    }

    /// Throws if anything follows.
    func end() throws(KeyFailure) {
        guard isAtEnd else { throw .unreadable(reason: "unexpected bytes follow") }
    }
}
