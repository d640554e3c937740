import Synchronization

@_implementationOnly import CLatchkeyShims

extension CapturedCall {
    /// Returns true if the call before a return address is in a function of Latchkey or of a library that calls
    /// closures it was given, by the name in the file's table of symbols.
    ///
    /// That takes a millisecond or two the first time. To find a line, the debugging information of the whole program
    /// has to be read.
    static func isOurs(_ address: UInt64) -> Bool {
        if let known = ownAddresses.withLock({ $0[address] }) { return known }
        let isOurs = lookUp(address)
        ownAddresses.withLock { known in
            if known.count < knownLimit { known[address] = isOurs }
        }
        return isOurs
    }

    private static let ownAddresses = Mutex<[UInt64: Bool]>([:])

    private static func lookUp(_ address: UInt64) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { name in
            guard let start = name.baseAddress, unsafe lk_call_function(UInt(address), start, name.count) else {
                return false
            }
            return unsafe SymbolOwner.isOurs(String(cString: start))
        }
    }
}
