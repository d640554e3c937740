/// The bytes that a caller may lend to ``compression_encode_buffer(_:_:_:_:_:_:)``: none are needed here.
public func compression_encode_scratch_buffer_size(_ algorithm: compression_algorithm) -> Int { 0 }

/// The bytes that a caller may lend to ``compression_decode_buffer(_:_:_:_:_:_:)``: none are needed here.
public func compression_decode_scratch_buffer_size(_ algorithm: compression_algorithm) -> Int { 0 }

/// Compresses a buffer, and returns the size of the result: 0 if it does not fit, or the algorithm is not implemented.
@unsafe
public func compression_encode_buffer(
    _ dst_buffer: UnsafeMutablePointer<UInt8>, _ dst_size: Int, _ src_buffer: UnsafePointer<UInt8>, _ src_size: Int,
    _ scratch_buffer: UnsafeMutableRawPointer?, _ algorithm: compression_algorithm
) -> Int {
    let (status, count) = unsafe process(
        COMPRESSION_STREAM_ENCODE, dst_buffer, dst_size, src_buffer, src_size, algorithm)
    return status == COMPRESSION_STATUS_END ? count : 0
}

/// Expands a buffer, and returns the size of the result. Bytes that do not fit are left out, and the result is `dst_size` then; 0
/// says that the data is damaged or ends too early, or that the algorithm is not implemented.
@unsafe
public func compression_decode_buffer(
    _ dst_buffer: UnsafeMutablePointer<UInt8>, _ dst_size: Int, _ src_buffer: UnsafePointer<UInt8>, _ src_size: Int,
    _ scratch_buffer: UnsafeMutableRawPointer?, _ algorithm: compression_algorithm
) -> Int {
    let (status, count) = unsafe process(
        COMPRESSION_STREAM_DECODE, dst_buffer, dst_size, src_buffer, src_size, algorithm)
    return status == COMPRESSION_STATUS_ERROR ? 0 : count
}

private func process(
    _ operation: compression_stream_operation, _ output: UnsafeMutablePointer<UInt8>, _ outputSize: Int,
    _ input: UnsafePointer<UInt8>, _ inputSize: Int, _ algorithm: compression_algorithm
) -> (status: compression_status, count: Int) {
    guard outputSize >= 0, inputSize >= 0, let state = DeflateStream(operation, algorithm) else {
        return (COMPRESSION_STATUS_ERROR, 0)
    }
    var stream = unsafe compression_stream(
        dst_ptr: output, dst_size: outputSize, src_ptr: input, src_size: inputSize, state: nil)
    let status = unsafe state.process(&stream, finishes: true)
    let count = unsafe outputSize - stream.dst_size
    guard status == COMPRESSION_STATUS_OK, operation == COMPRESSION_STREAM_ENCODE else { return (status, count) }
    // A result that fits exactly: zlib sees its end only with room behind it.
    var extra: UInt8 = 0
    return unsafe withUnsafeMutablePointer(to: &extra) { extra in
        unsafe (stream.dst_ptr, stream.dst_size) = unsafe (extra, 1)
        let status = unsafe state.process(&stream, finishes: true)
        return unsafe stream.dst_size == 1 ? (status, count) : (COMPRESSION_STATUS_ERROR, 0)
    }
}
