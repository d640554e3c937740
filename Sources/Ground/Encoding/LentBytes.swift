extension Array where Element == UInt8 {
    /// Lends the bytes; unlike `withUnsafeBytes` the error keeps its type.
    package func lend<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe withUnsafeBufferPointer { buffer throws(E) in
            try unsafe body(UnsafeRawBufferPointer(buffer))
        }
    }
}

extension ArraySlice where Element == UInt8 {
    /// Lends the bytes; unlike `withUnsafeBytes` the error keeps its type.
    package func lend<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe withUnsafeBufferPointer { buffer throws(E) in
            try unsafe body(UnsafeRawBufferPointer(buffer))
        }
    }
}
