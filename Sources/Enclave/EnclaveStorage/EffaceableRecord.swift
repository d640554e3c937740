import LatchkeySecretMemory

/// The keys that encrypt the keybag: normally one; two while a keybag is being replaced, the former and the next.
struct EffaceableRecord: Sendable {
    static let keyByteCount = 32

    let keys: [SecretBox]
    /// True while a new keybag is being made. A keybag that is missing or cannot be opened is then not damage.
    let isStartingOver: Bool

    init(keys: [SecretBox], isStartingOver: Bool) {
        precondition((1...2).contains(keys.count), "a keybag has one key, two while it is replaced")
        self.keys = keys
        self.isStartingOver = isStartingOver
    }

    /// flags (1: starting over) || number of keys (1) || keys
    var content: SecretBox {
        unsafe SecretBox(count: 2 + keys.count * Self.keyByteCount) { content in
            unsafe content[0] = isStartingOver ? 1 : 0
            unsafe content[1] = UInt8(keys.count)
            for (index, key) in keys.enumerated() {
                let place = unsafe UnsafeMutableRawBufferPointer(rebasing: content[Self.place(ofKey: index)])
                unsafe key.withBytes { unsafe place.copyMemory(from: $0) }
            }
        }
    }

    init?(content: SecretBox) {
        let record = unsafe content.withBytes { bytes -> EffaceableRecord? in
            guard bytes.count >= 2, unsafe bytes[0] <= 1, unsafe (1...2).contains(bytes[1]),
                unsafe bytes.count == 2 + Int(bytes[1]) * Self.keyByteCount
            else { return nil }
            let keys = unsafe (0..<Int(bytes[1])).map { index in
                unsafe SecretBox(copying: UnsafeRawBufferPointer(rebasing: bytes[Self.place(ofKey: index)]))
            }
            return unsafe EffaceableRecord(keys: keys, isStartingOver: bytes[0] == 1)
        }
        guard let record else { return nil }
        self = record
    }

    private static func place(ofKey index: Int) -> Range<Int> {
        2 + index * keyByteCount..<2 + (index + 1) * keyByteCount
    }
}
