/// Input and output of a stream, and its state.
@frozen @unsafe
public struct compression_stream {
    public var dst_ptr: UnsafeMutablePointer<UInt8>
    public var dst_size: Int
    public var src_ptr: UnsafePointer<UInt8>
    public var src_size: Int
    public var state: UnsafeMutableRawPointer?

    public init(
        dst_ptr: UnsafeMutablePointer<UInt8>, dst_size: Int, src_ptr: UnsafePointer<UInt8>, src_size: Int,
        state: UnsafeMutableRawPointer?
    ) {
        (unsafe self.dst_ptr, unsafe self.dst_size) = unsafe (dst_ptr, dst_size)
        (unsafe self.src_ptr, unsafe self.src_size) = unsafe (src_ptr, src_size)
        unsafe self.state = unsafe state
    }
}

/// Begins a stream. The caller sets its pointers and sizes afterwards, and ends it with ``compression_stream_destroy(_:)``.
@unsafe
public func compression_stream_init(
    _ stream: UnsafeMutablePointer<compression_stream>, _ operation: compression_stream_operation,
    _ algorithm: compression_algorithm
) -> compression_status {
    unsafe stream.pointee.dst_size = 0
    unsafe stream.pointee.src_size = 0
    guard let state = DeflateStream(operation, algorithm) else {
        unsafe stream.pointee.state = nil
        return COMPRESSION_STATUS_ERROR
    }
    unsafe stream.pointee.state = unsafe Unmanaged.passRetained(state).toOpaque()
    return COMPRESSION_STATUS_OK
}

/// Goes on until the input is read, the output is full, or the stream has ended. With ``COMPRESSION_STREAM_FINALIZE`` there is
/// no more input: compressed data that ends too early is an error then.
@unsafe @discardableResult
public func compression_stream_process(
    _ stream: UnsafeMutablePointer<compression_stream>, _ flags: Int32
) -> compression_status {
    guard let state = unsafe stream.pointee.state else { return COMPRESSION_STATUS_ERROR }
    let finishes = UInt32(bitPattern: flags) & COMPRESSION_STREAM_FINALIZE.rawValue != 0
    let deflate = unsafe Unmanaged<DeflateStream>.fromOpaque(state).takeUnretainedValue()
    return unsafe deflate.process(&stream.pointee, finishes: finishes)
}

/// Ends a stream and frees its state.
@unsafe @discardableResult
public func compression_stream_destroy(_ stream: UnsafeMutablePointer<compression_stream>) -> compression_status {
    guard let state = unsafe stream.pointee.state else { return COMPRESSION_STATUS_ERROR }
    unsafe Unmanaged<DeflateStream>.fromOpaque(state).release()
    unsafe stream.pointee.state = nil
    return COMPRESSION_STATUS_OK
}
