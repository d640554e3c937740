import LatchkeyBinaryPropertyList

/// The record of one file, directory or link: a row of its index, with the keyed archive (`MBFile`) in it.
package struct FileRecord: Sendable, Hashable {
    package enum Kind: Int, Sendable {
        case file = 1
        case directory = 2
        case link = 4
    }

    package var domain: BackupDomain
    /// Without slashes at its ends; empty for the root of a domain.
    package var path: String
    package var kind: Kind
    /// Of the content.
    package var size: Int64 = 0
    /// `st_mode`, with the bits of the type.
    package var mode: UInt32
    package var owner: UInt32 = 501
    package var group: UInt32 = 501
    /// Seconds since 1970.
    package var birth: Int64 = 0
    package var modified: Int64 = 0
    package var changed: Int64 = 0
    package var inode: UInt64 = 0
    package var flags: Int64 = 0
    /// The number of the file's class: 1 to 4 for files, 0 for most directories and all links.
    package var protectionClass: Int = 0
    /// The file's key under the key of its class (40 bytes); nil in a backup that is not encrypted, for directories and for
    /// links.
    package var wrappedKey: [UInt8]?
    /// The path in a link.
    package var target: String?
    package var attributes: [String: [UInt8]] = [:]
    /// Authenticates the payload as it is stored: ``PayloadTag``. Only backups of Latchkey have it.
    package var tag: [UInt8]?
    /// The database that a protected file belongs to: its role, one byte, and the database's identifier. Only backups of
    /// Latchkey have it.
    package var tie: [UInt8]?

    package init(domain: BackupDomain, path: String, kind: Kind, mode: UInt32) {
        self.domain = domain
        self.path = path
        self.kind = kind
        self.mode = mode
    }

    package var fileID: FileID { FileID(domain: domain, path: path) }

    package static let blobByteLimit = 100 * 1024
}

extension FileRecord {
    private static let tagKey = "LatchkeyTag"
    private static let tieKey = "LatchkeyTie"

    /// The keyed archive.
    package var archive: [UInt8] {
        var objects: [ListObject] = [.string("$null"), .null]
        func add(_ object: ListObject) -> ListObject {
            objects.append(object)
            return .uid(objects.count - 1)
        }
        var members: [String: ListObject] = [
            "RelativePath": add(.string(path)), "Size": .integer(size), "Mode": .integer(Int64(mode)),
            "UserID": .integer(Int64(owner)), "GroupID": .integer(Int64(group)), "Birth": .integer(birth),
            "LastModified": .integer(modified), "LastStatusChange": .integer(changed),
            "InodeNumber": .integer(Int64(clamping: inode)), "Flags": .integer(flags),
            "ProtectionClass": .integer(Int64(protectionClass)),
        ]
        if let target { members["Target"] = add(.string(target)) }
        if wrappedKey != nil || !attributes.isEmpty || tag != nil || tie != nil {
            let dataClass = add(Self.classObject("NSMutableData", ["NSMutableData", "NSData", "NSObject"]))
            func addData(_ bytes: [UInt8]) -> ListObject {
                add(.dictionary(["NS.data": .data(bytes), "$class": dataClass]))
            }
            if let wrappedKey {
                members["EncryptionKey"] = addData([UInt8(truncatingIfNeeded: protectionClass), 0, 0, 0] + wrappedKey)
            }
            if !attributes.isEmpty {
                members["ExtendedAttributes"] = addData(
                    ListWriter.encode(.dictionary(attributes.mapValues { .data($0) })))
            }
            if let tag { members[Self.tagKey] = addData(tag) }
            if let tie { members[Self.tieKey] = addData(tie) }
        }
        members["$class"] = add(Self.classObject("MBFile", ["MBFile", "NSObject"]))
        objects[1] = .dictionary(members)
        return ListWriter.encode(
            .dictionary([
                "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
                "$top": .dictionary(["root": .uid(1)]), "$objects": .array(objects),
            ]))
    }

    private static func classObject(_ name: String, _ all: [String]) -> ListObject {
        .dictionary(["$classname": .string(name), "$classes": .array(all.map { .string($0) })])
    }

    /// Reads the row of an index.
    package init(
        domain: BackupDomain, path: String, flags: Int, archive: [UInt8]
    ) throws(BackupFailure) {
        guard let kind = Kind(rawValue: flags) else { throw .badRecord(domain: domain.name, path: path, .kind) }
        guard archive.count <= Self.blobByteLimit else { throw .badRecord(domain: domain.name, path: path, .tooLong) }
        let list: ListObject
        do throws(ListFailure) {
            list = try ListReader.value(of: archive, limits: ListLimits(depth: 8, values: 8192))
        } catch {
            throw .badRecord(domain: domain.name, path: path, .archive)
        }
        guard let objects = list["$objects"]?.list, let root = list["$top"]?["root"]?.reference,
            objects.indices.contains(root), case .dictionary(let members) = objects[root]
        else { throw .badRecord(domain: domain.name, path: path, .archive) }
        func resolved(_ key: String) -> ListObject? {
            guard let member = members[key] else { return nil }
            guard let place = member.reference else { return member }
            return objects.indices.contains(place) && place != 0 ? objects[place] : nil
        }
        func data(_ key: String) -> [UInt8]? {
            let object = resolved(key)
            if let bytes = object?.bytes { return bytes }
            guard let content = object?["NS.data"] else { return nil }
            guard let place = content.reference else { return content.bytes }
            return objects.indices.contains(place) ? objects[place].bytes : nil
        }
        func number(_ key: String) -> Int64 { members[key]?.number ?? 0 }
        guard let mode = UInt32(exactly: number("Mode")), number("Size") >= 0 else {
            throw .badRecord(domain: domain.name, path: path, .archive)
        }
        if let own = resolved("RelativePath")?.text, own != path {
            throw .badRecord(domain: domain.name, path: path, .otherPath)
        }
        self.init(domain: domain, path: path, kind: kind, mode: mode)
        size = number("Size")
        owner = UInt32(truncatingIfNeeded: number("UserID"))
        group = UInt32(truncatingIfNeeded: number("GroupID"))
        birth = number("Birth")
        modified = number("LastModified")
        changed = number("LastStatusChange")
        inode = UInt64(bitPattern: number("InodeNumber"))
        self.flags = number("Flags")
        protectionClass = Int(number("ProtectionClass") & 0x1F)
        target = resolved("Target")?.text
        tag = data(Self.tagKey)
        tie = data(Self.tieKey)
        if let key = data("EncryptionKey") {
            guard key.count == 44 else { throw .badRecord(domain: domain.name, path: path, .key) }
            protectionClass = Int(key[0] & 0x1F)
            wrappedKey = Array(key[4...])
        }
        if let bytes = data("ExtendedAttributes"),
            case .dictionary(let pairs)? = try? ListReader.value(
                of: bytes, limits: ListLimits(byteCount: Self.blobByteLimit, depth: 2, values: 1024))
        {
            attributes = pairs.compactMapValues(\.bytes)
        }
    }
}
