@_implementationOnly import CLatchkeyZlib

/// A stream of raw deflate in one direction.
@safe final class DeflateStream {
    private let zlib: OpaquePointer

    /// Nil for an algorithm that is not implemented, and where there is no memory left.
    init?(_ operation: compression_stream_operation, _ algorithm: compression_algorithm) {
        guard algorithm == COMPRESSION_ZLIB,
            operation == COMPRESSION_STREAM_ENCODE || operation == COMPRESSION_STREAM_DECODE,
            let zlib = unsafe lk_zlib_new(operation == COMPRESSION_STREAM_ENCODE ? 1 : 0)
        else { return nil }
        unsafe self.zlib = OpaquePointer(zlib)
    }

    deinit {
        unsafe lk_zlib_free(UnsafeMutablePointer(zlib))
    }

    /// Goes on until the input is read, the output is full, or the stream has ended; the stream's pointers and sizes become
    /// those of what is left.
    func process(_ stream: inout compression_stream, finishes: Bool) -> compression_status {
        // C would take a negative size for a very large one.
        guard unsafe stream.dst_size >= 0, unsafe stream.src_size >= 0 else { return COMPRESSION_STATUS_ERROR }
        var output: UnsafeMutablePointer<UInt8>? = unsafe stream.dst_ptr
        var input: UnsafePointer<UInt8>? = unsafe stream.src_ptr
        let status = unsafe lk_zlib_process(
            UnsafeMutablePointer(zlib), finishes ? 1 : 0, &output, &stream.dst_size, &input, &stream.src_size)
        if let output = unsafe output { unsafe stream.dst_ptr = unsafe output }
        if let input = unsafe input { unsafe stream.src_ptr = unsafe input }
        return compression_status(status.rawValue)
    }
}
