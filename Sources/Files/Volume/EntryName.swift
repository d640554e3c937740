import Glibc

/// The name of a file or directory on a volume: 1 to 255 bytes, in no particular encoding, without `/` and NUL, neither `.`
/// nor `..`.
package struct EntryName: Sendable, Hashable {
    package static let byteLimit = 255

    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) throws(VolumeFailure) {
        guard bytes.count <= Self.byteLimit else { throw VolumeFailure(ENAMETOOLONG) }
        guard !bytes.isEmpty, !bytes.contains(0), !bytes.contains(UInt8(ascii: "/")), bytes != [46], bytes != [46, 46]
        else { throw VolumeFailure(EINVAL) }
        self.bytes = bytes
    }
}
