import CLatchkeyShims
import CommonCrypto

/// A `CCCryptorRef` as memory.
extension UnsafeMutablePointer where Pointee == Cryptor {
    /// A mark in the caller's memory after the cryptor was released: an address that no cryptor has.
    private static var released: Self? { unsafe Self(bitPattern: UInt(MemoryLayout<Cryptor>.alignment)) }

    /// Finds the cryptor of a reference; nil if there is none.
    init?(of reference: CCCryptorRef?) {
        guard let reference = unsafe reference else { return nil }
        let first = unsafe UnsafeMutableRawPointer(reference).load(as: Self?.self)
        guard let first = unsafe first else {
            unsafe self = unsafe Self(reference)
            return
        }
        guard unsafe first != Self.released else { return nil }
        unsafe self = unsafe first
    }

    /// Creates a cryptor on the heap; the caller gets its reference.
    static func make(
        _ choice: CipherChoice, key: UnsafeRawPointer, keyByteCount: Int, tweak: UnsafeRawPointer?,
        iv: UnsafeRawPointer?
    ) throws(CryptorRefusal) -> Self {
        let cryptor = Self.allocate(capacity: 1)
        let watched = unsafe WatchedKey.starting(choice, key: key, keyByteCount: keyByteCount, iv: iv, tweak: tweak)
        do throws(CryptorRefusal) {
            let made = unsafe try Cryptor(choice, key: key, keyByteCount: keyByteCount, tweak: tweak, iv: iv)
            unsafe cryptor.initialize(to: made)
            unsafe cryptor.pointee.keepOpposite(key: key, keyByteCount: keyByteCount, iv: iv)
            unsafe cryptor.pointee.watched = watched
            return unsafe cryptor
        } catch {
            watched?.release()
            unsafe cryptor.deallocate()
            throw error
        }
    }

    /// Wipes and frees the cryptor; the caller's memory then says that there is none.
    static func release(_ reference: CCCryptorRef?) {
        guard let reference = unsafe reference, let cryptor = unsafe Self(of: reference) else { return }
        let isLent = unsafe UnsafeMutableRawPointer(cryptor) != UnsafeMutableRawPointer(reference)
        if isLent { unsafe UnsafeMutableRawPointer(reference).storeBytes(of: released, as: Self?.self) }
        unsafe cryptor.pointee.release()
        unsafe cryptor.deinitialize(count: 1)
        // The engines keep the chained block and the bytes of a counter.
        unsafe lk_wipe(cryptor, MemoryLayout<Cryptor>.size)
        unsafe cryptor.deallocate()
    }
}

/// Memory of the caller that will hold a reference.
@safe struct LentMemory {
    /// A reference needs two words of it, from the first address that is a multiple of eight.
    private static let byteCount = 2 * MemoryLayout<UInt>.size

    private let place: UnsafeMutableRawPointer

    /// - Parameter used: becomes the number of bytes used, or needed.
    init(
        _ memory: UnsafeRawPointer?, _ available: Int, used: UnsafeMutablePointer<Int>?
    ) throws(CryptorRefusal) {
        let start = UInt(bitPattern: memory)
        let needed = Int((0 &- start) & 7) + Self.byteCount
        unsafe used?.pointee = needed
        guard UInt(needed) <= UInt(bitPattern: available) else { throw CryptorRefusal(.bufferTooSmall) }
        guard let memory = unsafe memory else { throw CryptorRefusal(.parameter) }
        unsafe place = unsafe UnsafeMutableRawPointer(mutating: memory + (needed - Self.byteCount))
    }

    /// Writes a reference to the cryptor.
    func reference(to cryptor: UnsafeMutablePointer<Cryptor>) -> CCCryptorRef {
        unsafe place.storeBytes(of: cryptor, as: UnsafeMutablePointer<Cryptor>.self)
        return unsafe CCCryptorRef(place)
    }
}
