package import LatchkeyFileFormat
package import LatchkeyKeychainMessages

/// A reason for which a protected file was not opened, read or changed.
package enum AccessFailure: Error, Sendable {
    /// The device does not give out the file's key: mostly because it is locked.
    case refused(FileKeyRefusal)
    /// The content, or the state of the file.
    case file(FileFailure)
    /// A call of the system on the file, with its `errno`.
    case system(call: String, errno: Int32)
    /// Another process writes the file, or reads it while this one wants to write.
    case inUse
    /// The file is stored in clear.
    case notProtected
    /// The header names a class that no release has.
    case unknownClass(UInt8)
}
