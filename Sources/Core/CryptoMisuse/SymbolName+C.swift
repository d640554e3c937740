@_implementationOnly import CLatchkeyShims

/// Names of functions in the symbol tables of programs.
package enum SymbolName {
    /// Returns the name as in source code, with modules and contexts; nil if it is not a Swift name.
    package static func readable(_ mangled: String) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { text in
            guard unsafe lk_symbol_readable(mangled, text.baseAddress, text.count) else { return nil }
            return unsafe text.baseAddress.map { unsafe String(cString: $0) }
        }
    }
}
