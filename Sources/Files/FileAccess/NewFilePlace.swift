package import LatchkeyFileFormat
package import LatchkeyKeybag

/// Where a protected file is made, and what it gets.
package struct NewFilePlace {
    package let path: String
    /// The file must not be there yet.
    package var isNew: Bool
    /// Those of a file that is not there yet, before the process's mask is applied.
    package let permissions: UInt32
    package let protection: FileProtection
    /// Refuses what another user may have put in the file's place.
    package var expectation = FileExpectation.anyFile
    /// The database that the file belongs to, given the file's identifier; nil for a file that belongs to none.
    package var tie: (([UInt8]) -> FileTie)?

    package init(path: String, isNew: Bool, permissions: UInt32, protection: FileProtection) {
        self.path = path
        self.isNew = isNew
        self.permissions = permissions
        self.protection = protection
    }
}
