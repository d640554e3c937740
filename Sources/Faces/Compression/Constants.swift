// Numbers of `<compression.h>`.

/// A compression algorithm. Only ``COMPRESSION_ZLIB`` is implemented here; calls with another one fail.
@frozen
public struct compression_algorithm: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

public var COMPRESSION_LZ4: compression_algorithm { compression_algorithm(0x100) }
public var COMPRESSION_LZ4_RAW: compression_algorithm { compression_algorithm(0x101) }
/// Raw deflate (RFC 1951), without the header and the checksum of zlib.
public var COMPRESSION_ZLIB: compression_algorithm { compression_algorithm(0x205) }
public var COMPRESSION_LZMA: compression_algorithm { compression_algorithm(0x306) }
public var COMPRESSION_LZBITMAP: compression_algorithm { compression_algorithm(0x702) }
public var COMPRESSION_LZFSE: compression_algorithm { compression_algorithm(0x801) }
public var COMPRESSION_BROTLI: compression_algorithm { compression_algorithm(0xB02) }

/// The direction of a stream.
@frozen
public struct compression_stream_operation: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

public var COMPRESSION_STREAM_ENCODE: compression_stream_operation { compression_stream_operation(0) }
public var COMPRESSION_STREAM_DECODE: compression_stream_operation { compression_stream_operation(1) }

/// An option of ``compression_stream_process(_:_:)``.
@frozen
public struct compression_stream_flags: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// There is no more input.
public var COMPRESSION_STREAM_FINALIZE: compression_stream_flags { compression_stream_flags(1) }

/// The result of a call with a stream.
@frozen
public struct compression_status: RawRepresentable, Hashable, Sendable {
    public var rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    public init(_ rawValue: Int32) { self.rawValue = rawValue }
}

public var COMPRESSION_STATUS_OK: compression_status { compression_status(0) }
public var COMPRESSION_STATUS_ERROR: compression_status { compression_status(-1) }
/// The whole stream was read and written.
public var COMPRESSION_STATUS_END: compression_status { compression_status(1) }
