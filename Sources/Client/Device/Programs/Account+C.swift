import Glibc
import LatchkeyThreading

/// Users and groups of the machine, by name or number.
package enum Account {
    /// The number of a user, who is named or given as a number; nil if there is none.
    package static func userID(_ text: String) -> UInt32? {
        if let number = UInt32(text) { return number }
        return found { buffer in
            var record = unsafe passwd()
            var entry: UnsafeMutablePointer<passwd>?
            let outcome = unsafe getpwnam_r(text, &record, &buffer, buffer.count, &entry)
            return (outcome, unsafe entry == nil ? nil : unsafe record.pw_uid)
        }
    }

    /// The name of a user; nil if the number has none.
    package static func userName(_ identifier: UInt32) -> String? {
        found { buffer in
            var record = unsafe passwd()
            var entry: UnsafeMutablePointer<passwd>?
            let outcome = unsafe getpwuid_r(identifier, &record, &buffer, buffer.count, &entry)
            guard unsafe entry != nil, let name = unsafe record.pw_name else { return (outcome, nil) }
            return (outcome, unsafe String(cString: name))
        }
    }

    /// The number of a group, which is named or given as a number; nil if there is none.
    package static func groupID(_ text: String) -> UInt32? {
        UInt32(text) ?? group(text)?.identifier
    }

    /// A group's number, and who is entered as a member; nil if there is no such group.
    package static func group(_ name: String) -> (identifier: UInt32, members: [String])? {
        found { buffer in
            var record = unsafe Glibc.group()
            var entry: UnsafeMutablePointer<Glibc.group>?
            let outcome = unsafe getgrnam_r(name, &record, &buffer, buffer.count, &entry)
            guard unsafe entry != nil else { return (outcome, nil) }
            return (outcome, (unsafe record.gr_gid, unsafe names(in: record.gr_mem)))
        }
    }

    /// The users whose primary group this is; those of a directory service that does not list them are not seen.
    package static func users(withPrimaryGroup group: UInt32) -> [String] {
        // The list has one position for all threads.
        userList.withLock { _ in
            setpwent()
            defer { endpwent() }
            var names: [String] = []
            while let entry = unsafe getpwent() {
                guard unsafe entry.pointee.pw_gid == group, let name = unsafe entry.pointee.pw_name else { continue }
                names.append(unsafe String(cString: name))
            }
            return names
        }
    }

    private static let userList = ForkMutex(())

    /// Looks with larger and larger buffers until the entry fits.
    private static func found<Entry>(_ look: (inout [CChar]) -> (outcome: Int32, entry: Entry?)) -> Entry? {
        var buffer = [CChar](repeating: 0, count: 1 << 12)
        while true {
            let (outcome, entry) = look(&buffer)
            guard outcome == ERANGE, buffer.count < 1 << 22 else { return outcome == 0 ? entry : nil }
            buffer = [CChar](repeating: 0, count: buffer.count * 2)
        }
    }

    private static func names(in list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> [String] {
        guard var place = unsafe list else { return [] }
        var names: [String] = []
        while let name = unsafe place.pointee {
            names.append(unsafe String(cString: name))
            unsafe place += 1
        }
        return names
    }
}
