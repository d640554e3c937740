/// Numbers that name bytes and reveal nothing about them: a keyed hash, so that an attacker who later reads the memory
/// of the process cannot try out short keys or common texts.
///
/// It is the hash of Swift's dictionaries, SipHash-1-3, whose key the runtime draws once per process (unless
/// `SWIFT_DETERMINISTIC_HASHING` is set), with a seed of its own on top. No cryptography rests on it: two different
/// contents with one name would at worst cause a false finding.
struct Fingerprints: Sendable {
    typealias Name = UInt64

    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    /// Computes the name of the bytes. Bytes fed piece by piece have the name of the whole.
    func name(of bytes: UnsafeRawBufferPointer) -> Name {
        var stream = stream()
        unsafe stream.feed(bytes)
        return stream.name
    }

    func stream() -> Stream {
        Stream(seed)
    }

    struct Stream: Sendable {
        private var hasher = Hasher()
        private(set) var count = 0

        fileprivate init(_ seed: UInt64) {
            hasher.combine(seed)
        }

        mutating func feed(_ bytes: UnsafeRawBufferPointer) {
            guard unsafe !bytes.isEmpty else { return }
            unsafe hasher.combine(bytes: bytes)
            count += bytes.count
        }

        /// The name of all bytes so far.
        var name: Name {
            var end = hasher
            end.combine(UInt64(count))
            return Name(bitPattern: Int64(end.finalize()))
        }
    }
}
