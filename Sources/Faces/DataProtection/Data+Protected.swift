public import Foundation
import LatchkeyDevice
import LatchkeyFileAccess

extension Data {
    /// Reads a file of any class, or one that is stored in clear: what `Data(contentsOf:)` does on iOS.
    ///
    /// - Throws: `CocoaError`; `fileReadNoPermission` while the device does not give out the file's key.
    public init(contentsOfProtected url: URL) throws {
        let path = try path(of: url, .read)
        self = try reporting(.read, path) { try ProtectedFileSystem().contents(of: path) }
    }

    /// Writes a file of a class: what `write(to:options:)` does on iOS.
    ///
    /// Without a class among the options the file keeps the class that it has; a new one gets that of its directory, or
    /// `completeUntilFirstUserAuthentication`. On a mounted volume the volume decides the class of a new file.
    ///
    /// The data is on disk when this returns. With `.atomic` a file that is there already is replaced whole or not at all.
    ///
    /// - Throws: `CocoaError`; `fileWriteNoPermission` while the device does not make keys of the class. Those of
    ///   `completeFileProtectionUnlessOpen` and `noFileProtection` it makes at any time.
    public func writeProtected(to url: URL, options: Data.WritingOptions = []) throws {
        let path = try path(of: url, .write)
        try reporting(.write, path) { try ProtectedFileSystem().write(self, to: path, options: options) }
    }
}

/// Runs a body and throws its failures as a program expects them.
func reporting<Value>(_ deed: FileDeed, _ path: String, _ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let failure as AccessFailure {
        throw CocoaError(failure, deed, path: path)
    } catch let failure as DeviceFailure {
        throw CocoaError(
            deed == .read ? .fileReadUnknown : .fileWriteUnknown,
            userInfo: [NSFilePathErrorKey: path, NSLocalizedFailureReasonErrorKey: failure.description])
    }
}
