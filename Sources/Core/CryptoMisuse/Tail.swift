@_implementationOnly import CLatchkeyShims

/// The last bytes that went into an authentication code, one less than a piece: the next ones may complete it. Wiped at
/// the end: authenticated data may be secret.
@safe final class Tail {
    static let limit = AuthenticatedBytes.pieceByteCount - 1

    /// Has room for the following bytes, too.
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * limit, alignment: 1)
    private var count = 0

    init(copying other: Tail?) {
        guard let other else { return }
        unsafe append(UnsafeRawBufferPointer(rebasing: other.bytes[..<other.count]))
    }

    deinit {
        unsafe lk_wipe(bytes.baseAddress, bytes.count)
        unsafe bytes.deallocate()
    }

    /// Calls `body` with these bytes and the beginning of `added` behind them: all pieces that are partly in both.
    func seam(_ added: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        let new = unsafe UnsafeRawBufferPointer(rebasing: added.prefix(Self.limit))
        unsafe put(new, at: count)
        unsafe body(UnsafeRawBufferPointer(rebasing: bytes[..<(count + new.count)]))
    }

    func append(_ added: UnsafeRawBufferPointer) {
        let new = unsafe UnsafeRawBufferPointer(rebasing: added.suffix(Self.limit))
        let kept = min(count, Self.limit - new.count)
        if kept < count {
            unsafe put(UnsafeRawBufferPointer(rebasing: bytes[(count - kept)..<count]), at: 0)
        }
        unsafe put(new, at: kept)
        count = kept + new.count
    }

    private func put(_ new: UnsafeRawBufferPointer, at offset: Int) {
        guard unsafe !new.isEmpty else { return }
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<(offset + new.count)]).copyMemory(from: new)
    }
}
