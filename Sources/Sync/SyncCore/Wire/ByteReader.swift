/// A reader of fixed fields from unchecked bytes. Integers are big-endian.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = Array(bytes)[...] }

    var count: Int { rest.count }

    mutating func take(_ count: Int) throws(ObjectFailure) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw .truncated }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self
    ) throws(ObjectFailure) -> Number {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    mutating func identifier<Subject>() throws(ObjectFailure) -> Identifier<Subject> {
        guard let identifier = Identifier<Subject>(try take(Identifier<Subject>.byteCount)) else { throw .truncated }
        return identifier
    }

    mutating func hash() throws(ObjectFailure) -> ObjectHash {
        guard let hash = ObjectHash(try take(ObjectHash.byteCount)) else { throw .truncated }
        return hash
    }

    /// Returns what is left.
    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    func finish() throws(ObjectFailure) {
        if !rest.isEmpty { throw .trailingBytes(rest.count) }
    }
}
