internal import Glibc

/// Returns the number of this process; a child of `fork` has another one than its parent.
func ownProcessID() -> Int32 {
    getpid()
}
