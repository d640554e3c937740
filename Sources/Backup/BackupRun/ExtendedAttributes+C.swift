import Glibc
import LatchkeyFileAccess
import LatchkeyKeybag

@_implementationOnly import CLatchkeyShims

/// The attributes that programs gave a file or directory.
enum ExtendedAttributes {
    /// Others are of the system: access lists and labels say something of this machine's users.
    private static let prefix = "user."
    private static let listByteLimit = 65_536
    private static let valueByteLimit = 65_536
    /// Readers refuse records that are larger than 100 KiB.
    private static let totalByteLimit = 32_768

    /// The attributes of an open file, with the class, which ``set(_:of:)`` leaves out.
    ///
    /// Attributes that are longer than a record can hold are left out.
    static func of(_ descriptor: Int32) -> [String: [UInt8]] {
        let names = unsafe [CChar](unsafeUninitializedCapacity: listByteLimit) { buffer, count in
            count = unsafe max(0, lk_attribute_list_open(descriptor, buffer.baseAddress, buffer.count))
        }
        var attributes: [String: [UInt8]] = [:]
        var total = 0
        for name in names.split(separator: 0) {
            guard let text = String(validating: name.map { UInt8(bitPattern: $0) }, as: UTF8.self),
                text.utf8.starts(with: prefix.utf8), text != DirectoryProtection.attribute
            else { continue }
            let value = unsafe [UInt8](unsafeUninitializedCapacity: valueByteLimit) { buffer, count in
                count = unsafe max(0, lk_attribute_get_open(descriptor, text, buffer.baseAddress, buffer.count))
            }
            guard total + value.count + text.utf8.count <= totalByteLimit else { continue }
            total += value.count + text.utf8.count
            attributes[text] = value
        }
        return attributes
    }

    /// Gives an open file attributes of programs. A file system without attributes is not a failure.
    static func set(_ attributes: [String: [UInt8]], of descriptor: Int32) {
        for (name, value) in attributes
        where name.utf8.starts(with: prefix.utf8) && name != DirectoryProtection.attribute {
            _ = unsafe lk_attribute_set_open(descriptor, name, value, value.count, 0)
        }
    }

    /// The class of a directory, or of a protected file, as a record has it.
    static func protection(in attributes: [String: [UInt8]]) -> FileProtection? {
        attributes[DirectoryProtection.attribute].flatMap {
            FileProtection(rawValue: String(decoding: $0, as: UTF8.self))
        }
    }
}
