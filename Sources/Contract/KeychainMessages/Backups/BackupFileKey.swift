/// A wrapped key of a file of a backup.
package struct BackupFileKey: Sendable, Hashable {
    /// The classes of files.
    package static let classNumbers: ClosedRange<UInt8> = 1...4

    package let classNumber: UInt8
    package let wrapped: [UInt8]

    package init(classNumber: UInt8, wrapped: [UInt8]) {
        self.classNumber = classNumber
        self.wrapped = wrapped
    }
}
