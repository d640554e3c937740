/// A buffer that holds back the last 32 bytes, which are the code if nothing follows.
struct MessageTail {
    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(2 * MessageSize.codeByteCount)
    }

    /// Passes the known bytes of ciphertext on, in one or two parts.
    mutating func take(_ input: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        let ready = max(0, bytes.count + input.count - MessageSize.codeByteCount)
        let fromTail = min(ready, bytes.count)
        let fromInput = ready - fromTail
        if fromTail > 0 {
            unsafe bytes.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[..<fromTail])) }
            bytes.removeFirst(fromTail)
        }
        if fromInput > 0 { unsafe body(UnsafeRawBufferPointer(rebasing: input[..<fromInput])) }
        unsafe bytes.append(contentsOf: input[fromInput...])
    }
}
