extension Array where Element == UInt8 {
    /// Calls `body` with the bytes; unlike in `withUnsafeBytes`, the error keeps its type.
    package func lend<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe withUnsafeBufferPointer { buffer throws(E) in
            try unsafe body(UnsafeRawBufferPointer(buffer))
        }
    }
}

extension ArraySlice where Element == UInt8 {
    /// Calls `body` with the bytes; unlike in `withUnsafeBytes`, the error keeps its type.
    package func lend<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe withUnsafeBufferPointer { buffer throws(E) in
            try unsafe body(UnsafeRawBufferPointer(buffer))
        }
    }
}
