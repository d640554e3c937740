public import Foundation

/// A file as it is stored on a virtual device.
public struct VirtualFile: Sendable, Hashable, CustomStringConvertible {
    /// The path below ``VirtualFiles/directory``.
    public let name: String
    /// False for a file in clear.
    public let isProtected: Bool
    /// Nil for a file in clear, and for one whose header is damaged.
    public var protection: FileProtectionType? { protectionName.map { FileProtectionType(rawValue: $0) } }
    /// Foundation's type is not `Hashable` on Linux.
    private let protectionName: String?
    /// The length of the content; of a damaged file, that of what is stored.
    public let byteCount: Int
    /// The length of what is stored: a protected file is larger than its content.
    public let storedByteCount: Int

    init(name: String, isProtected: Bool, protectionName: String?, byteCount: Int, storedByteCount: Int) {
        self.name = name
        self.isProtected = isProtected
        self.protectionName = protectionName
        self.byteCount = byteCount
        self.storedByteCount = storedByteCount
    }

    public var description: String {
        let form = protectionName ?? (isProtected ? "damaged header" : "in clear")
        return "\(name) (\(form), \(byteCount) bytes)"
    }
}
