extension SecretBox {
    /// Copies the first `count` bytes to a secret of their own.
    package func prefix(_ count: Int) -> SecretBox {
        slice(0..<count)
    }

    /// Copies some of the bytes to a secret of their own.
    package func slice(_ range: Range<Int>) -> SecretBox {
        unsafe withBytes { bytes in unsafe SecretBox(copying: UnsafeRawBufferPointer(rebasing: bytes[range])) }
    }

    /// Joins these bytes and the first `count` of another secret.
    package func appending(_ other: SecretBox, count: Int) -> SecretBox {
        unsafe SecretBox(count: self.count + count) { room in
            unsafe withBytes { unsafe room.copyMemory(from: $0) }
            unsafe other.withBytes { tail in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[self.count...])
                unsafe rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: tail[..<count]))
            }
        }
    }
}
