/// A keybag: wrapped class keys and the records that unwrap them. Every value is well formed.
///
/// System, backup and escrow keybags share the format. Unknown records and classes are kept unchanged, so that a keybag
/// that was read can be written again byte for byte.
package struct Keybag: Sendable, Equatable {
    package let header: KeybagHeader
    package let classKeys: [WrappedClassKey]

    package init(header: KeybagHeader, classKeys: [WrappedClassKey]) {
        self.header = header
        self.classKeys = classKeys
    }

    /// Parses unchecked bytes.
    package init(parsing bytes: [UInt8]) throws(KeybagFailure) {
        let records = try [KeybagRecord](parsing: bytes)
        // The first UUID is the keybag's own; every further one starts a class key.
        let starts = records.indices.filter { records[$0].tag == .uuid }.dropFirst()
        guard starts.count <= KeybagLimits.classKeys else { throw .tooManyClassKeys(limit: KeybagLimits.classKeys) }
        header = try KeybagHeader(records: Array(records[..<(starts.first ?? records.endIndex)]))
        var classKeys: [WrappedClassKey] = []
        for (start, end) in zip(starts, starts.dropFirst() + [records.endIndex]) {
            let key = try WrappedClassKey(records: Array(records[start..<end]))
            guard !classKeys.contains(where: { $0.classNumber == key.classNumber }) else {
                throw .duplicateClass(key.classNumber)
            }
            classKeys.append(key)
        }
        self.classKeys = classKeys
    }

    /// The encoded keybag.
    package var bytes: [UInt8] {
        (header.records + classKeys.flatMap(\.records)).flatMap(\.bytes)
    }

    /// The wrapped key of a class; the newest generation if there are several.
    package func classKey(_ keyClass: KeyClass) -> WrappedClassKey? {
        classKeys.filter { $0.keyClass == keyClass }.max { $0.classNumber < $1.classNumber }
    }
}
