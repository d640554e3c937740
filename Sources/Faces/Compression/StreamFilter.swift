import Foundation

/// A stream with a buffer for its output.
final class StreamFilter {
    private let state: DeflateStream
    private let capacity: Int
    private(set) var hasEnded = false

    init(_ operation: FilterOperation, _ algorithm: Algorithm, capacity: Int) throws(FilterError) {
        guard capacity > 0, let state = DeflateStream(operation.operation, algorithm.rawValue) else {
            throw .invalidState
        }
        (self.state, self.capacity) = (state, capacity)
    }

    /// Processes all of the input. Bytes after the end of compressed data are ignored, as by a stream.
    func process(_ input: [UInt8], finishes: Bool, _ receive: (Data) throws -> Void) throws {
        try unsafe input.withUnsafeBufferPointer { input in
            var rest = unsafe UnsafeBufferPointer(rebasing: input[...])
            while !hasEnded {
                let piece = try unsafe piece(&rest, finishes: finishes)
                if !piece.isEmpty { try receive(piece) }
                guard !rest.isEmpty || piece.count == capacity || finishes else { return }
            }
        }
    }

    /// Fills the buffer once.
    private func piece(_ input: inout UnsafeBufferPointer<UInt8>, finishes: Bool) throws -> Data {
        var status = COMPRESSION_STATUS_ERROR
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            // An empty array has no address, and none is read.
            guard let start = output.baseAddress else { return }
            let source = unsafe input.baseAddress ?? UnsafePointer(start)
            var stream = unsafe compression_stream(
                dst_ptr: start, dst_size: capacity, src_ptr: source, src_size: input.count, state: nil)
            status = unsafe state.process(&stream, finishes: finishes)
            count = unsafe capacity - stream.dst_size
            unsafe input = unsafe UnsafeBufferPointer(rebasing: input[(input.count - stream.src_size)...])
        }
        guard status != COMPRESSION_STATUS_ERROR else { throw FilterError.invalidData }
        hasEnded = status == COMPRESSION_STATUS_END
        return Data(bytes)
    }
}
