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
        guard unsafe rest.count >= 2, unsafe rest[0] == tag else {
            throw .unreadable(reason: "the DER holds something else than it should, or ends too early")
        }
        var (count, start) = unsafe (Int(rest[1]), 2)
        if count >= 0x80 {
            let lengthByteCount = count & 0x7F
            guard (1...3).contains(lengthByteCount), unsafe rest.count >= 2 + lengthByteCount else {
                throw .unreadable(reason: "a length is missing or absurd")
            }
            count = unsafe rest[2..<2 + lengthByteCount].reduce(0) { $0 << 8 | Int($1) }
            start += lengthByteCount
            guard count >= 0x80, count >> (8 * (lengthByteCount - 1)) > 0 else {
                throw .unreadable(reason: "a length is longer than it needs to be")
            }
        }
        guard unsafe rest.count - start >= count else { throw .unreadable(reason: "the bytes end too early") }
        let found = unsafe UnsafeRawBufferPointer(rebasing: rest[start..<start + count])
        unsafe rest = unsafe UnsafeRawBufferPointer(rebasing: rest[(start + count)...])
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

enum DERTag {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30

    /// A tag of the context, constructed.
    static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }
}

extension Array where Element == UInt8 {
    /// Lends the bytes; unlike `withUnsafeBytes` the error keeps its type.
    func lend<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe withUnsafeBufferPointer { buffer throws(E) in
            try unsafe body(UnsafeRawBufferPointer(buffer))
        }
    }
}
