@_implementationOnly import CLatchkeyShims

/// What functions are called in the tables of programs.
package enum SymbolName {
    /// As in source code, with modules and contexts; nil for what is no name of Swift's.
    package static func readable(_ mangled: String) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { text in
            guard unsafe lk_symbol_readable(mangled, text.baseAddress, text.count) else { return nil }
            return unsafe text.baseAddress.map { unsafe String(cString: $0) }
        }
    }
}
