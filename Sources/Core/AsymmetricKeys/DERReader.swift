import LatchkeyEncoding

/// Strict DER, as far as keys and signatures need it: short tags, lengths of at most three bytes, nothing left over.
///
/// The bytes belong to somebody else, who lends them for as long as the reader lives; they may be secret.
@safe struct DERReader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe rest = unsafe bytes
    }

    var isAtEnd: Bool { unsafe rest.isEmpty }

    /// The tag that comes next, if any.
    var nextTag: UInt8? { unsafe rest.first }

    /// The contents of the value that comes next, which must have this tag.
    mutating func contents(_ tag: UInt8) throws(KeyFailure) -> UnsafeRawBufferPointer {
        guard unsafe rest.first == tag else {
            throw .unreadable(reason: "the DER holds something else than it should, or ends too early")
        }
        let header: DERHeader
        do throws(DERHeader.Failure) {
            header = unsafe try DERHeader(rest, lengthByteLimit: 3)
        } catch {
            throw .unreadable(
                reason: error == .truncated
                    ? "the bytes end too early" : "a length is absurd, or longer than it needs to be")
        }
        let found = unsafe UnsafeRawBufferPointer(rebasing: rest[header.count..<header.valueCount])
        unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest[header.valueCount...])
        return unsafe found
    }

    /// A reader of the contents of the value that comes next.
    mutating func nested(_ tag: UInt8 = DERTag.sequence) throws(KeyFailure) -> DERReader {
        unsafe DERReader(try contents(tag))
    }

    /// The bytes of a number that is not negative, most significant first, without a zero in front; none for zero.
    mutating func number() throws(KeyFailure) -> UnsafeRawBufferPointer {
        let bytes = unsafe try contents(DERTag.integer)
        guard let first = unsafe bytes.first, first < 0x80 else {
            throw .unreadable(reason: "a number is negative or empty")
        }
        guard first == 0 else { return unsafe bytes }
        if bytes.count > 1, unsafe bytes[1] < 0x80 {
            throw .unreadable(reason: "a number is longer than it needs to be")
        }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    }

    /// A number of at most eight bytes.
    mutating func smallNumber() throws(KeyFailure) -> UInt64 {
        let bytes = unsafe try number()
        guard bytes.count <= 8 else { throw .unreadable(reason: "a number is too large") }
        return unsafe bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A bit string of whole bytes.
    mutating func bitString() throws(KeyFailure) -> UnsafeRawBufferPointer {
        let bytes = unsafe try contents(DERTag.bitString)
        guard unsafe bytes.first == 0 else { throw .unreadable(reason: "a bit string has no whole bytes") }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    }

    /// Nothing may follow.
    func end() throws(KeyFailure) {
        guard isAtEnd else { throw .unreadable(reason: "something follows where nothing should") }
    }
}
