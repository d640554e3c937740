import Foundation

/// A stream with a buffer for its output.
final class StreamFilter {
    private let state: DeflateStream
    private let capacity: Int
    private(set) var hasEnded = false

    init(_ operation: FilterOperation, _ algorithm: Algorithm, capacity: Int) throws(FilterError) {
        guard capacity > 0, let state = DeflateStream(operation.rawValue, algorithm.rawValue) else {
            throw .invalidState
        }
        (self.state, self.capacity) = (state, capacity)
    }

    /// Processes all of the input. Bytes after the end of compressed data are ignored, as by a stream.
    func process(_ input: [UInt8], finishes: Bool, _ receive: (Data) throws -> Void) throws {
        var rest = input[...]
        while !hasEnded {
            let piece = try piece(&rest, finishes: finishes, room: capacity)
            if !piece.isEmpty { try receive(piece) }
            guard !rest.isEmpty || piece.count == capacity || finishes else { return }
        }
    }

    /// Returns at most so many bytes of output, and removes what was read from the input.
    func piece(_ input: inout ArraySlice<UInt8>, finishes: Bool, room: Int) throws(FilterError) -> Data {
        var (status, left) = (COMPRESSION_STATUS_ERROR, input.count)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: room) { output, count in
            guard let start = output.baseAddress else { return }
            unsafe input.withUnsafeBufferPointer { input in
                // An empty array has no address, and none is read.
                let source = unsafe input.baseAddress ?? UnsafePointer(start)
                var stream = unsafe compression_stream(
                    dst_ptr: start, dst_size: room, src_ptr: source, src_size: input.count, state: nil)
                status = unsafe state.process(&stream, finishes: finishes)
                (count, left) = unsafe (room - stream.dst_size, stream.src_size)
            }
        }
        input = input.suffix(left)
        guard status != COMPRESSION_STATUS_ERROR else { throw .invalidData }
        hasEnded = status == COMPRESSION_STATUS_END
        return Data(bytes)
    }
}
