import Glibc
import LatchkeyCryptoSuite
import LatchkeySecretMemory

/// Seals what a volume stores beside the content of its files: names, targets of links, extended attributes.
///
/// A name is sealed under the identifier of its directory, so that equal names in two directories do not look equal, and
/// always in the same way, so that it is found again.
struct NameSeals: Sendable {
    private let cipher: AESSIV
    private let entropy: any Entropy

    /// - Parameter key: 32 bytes, the volume's own.
    init(key: SecretBox, entropy: any Entropy = SystemEntropy()) {
        let halves = (0..<2).map { HMACSHA256.secret(over: Array("latchkey volume 1: names \($0)".utf8), key: key) }
        cipher = AESSIV(
            key: unsafe SecretBox(count: AESSIV.keyByteCount) { key in
                for (index, half) in halves.enumerated() {
                    unsafe half.withBytes { half in
                        unsafe UnsafeMutableRawBufferPointer(rebasing: key[(index * half.count)...])
                            .copyMemory(from: half)
                    }
                }
            })
        self.entropy = entropy
    }

    /// Names are filled up with zeros to a multiple of so many bytes: a sealed name shows no more of its length.
    private static let padding = 16
    private static let nameLabel = Array("name".utf8)
    private static let targetLabel = Array("target".utf8)
    private static let attributeNameLabel = Array("attribute".utf8)
    private static let attributeValueLabel = Array("value".utf8)
    private static let saltByteCount = 16

    /// Returns the sealed form of a name, not yet as text.
    func seal(_ name: EntryName, in directory: DirectoryIdentifier) -> [UInt8] {
        let padded = name.bytes + [UInt8](repeating: 0, count: (Self.padding - name.bytes.count % Self.padding) % 16)
        return seal(padded, [Self.nameLabel, directory.bytes])
    }

    /// Returns nil for anything else than a sealed name of this directory.
    func openName(_ sealed: [UInt8], in directory: DirectoryIdentifier) -> EntryName? {
        guard var bytes = open(sealed, [Self.nameLabel, directory.bytes]) else { return nil }
        while bytes.last == 0 { bytes.removeLast() }
        return try? EntryName(bytes)
    }

    /// True for the lengths that ``seal(_:in:)`` makes.
    static func isSealedNameByteCount(_ count: Int) -> Bool {
        (AESSIV.overhead + padding...AESSIV.overhead + 256).contains(count) && count % padding == 0
    }

    /// The target of a symbolic link stays readable wherever the link is moved.
    func sealTarget(_ target: [UInt8]) -> [UInt8] {
        let salt = entropy.bytes(Self.saltByteCount)
        return salt + seal(target, [Self.targetLabel, salt])
    }

    func openTarget(_ sealed: [UInt8]) -> [UInt8]? {
        guard sealed.count > Self.saltByteCount else { return nil }
        return open(Array(sealed[Self.saltByteCount...]), [Self.targetLabel, Array(sealed[..<Self.saltByteCount])])
    }

    /// The length of a target by the length of its sealed form.
    static func targetByteCount(ofSealed count: Int) -> Int { max(0, count - saltByteCount - AESSIV.overhead) }

    /// - Parameter owner: the identifier of the file or directory that has the attribute.
    func sealAttributeName(_ name: [UInt8], of owner: [UInt8]) -> [UInt8] {
        seal(name, [Self.attributeNameLabel, owner])
    }

    func openAttributeName(_ sealed: [UInt8], of owner: [UInt8]) -> [UInt8]? {
        open(sealed, [Self.attributeNameLabel, owner])
    }

    func sealAttributeValue(_ value: [UInt8], named name: [UInt8], of owner: [UInt8]) -> [UInt8] {
        let salt = entropy.bytes(Self.saltByteCount)
        // An empty text has no sealed form.
        return salt + seal([1] + value, [Self.attributeValueLabel, owner, name, salt])
    }

    func openAttributeValue(_ sealed: [UInt8], named name: [UInt8], of owner: [UInt8]) -> [UInt8]? {
        guard sealed.count > Self.saltByteCount else { return nil }
        let salt = Array(sealed[..<Self.saltByteCount])
        let text = open(Array(sealed[Self.saltByteCount...]), [Self.attributeValueLabel, owner, name, salt])
        guard let text, text.first == 1 else { return nil }
        return Array(text.dropFirst())
    }

    private func seal(_ text: [UInt8], _ associatedData: [[UInt8]]) -> [UInt8] {
        unsafe text.withUnsafeBytes { unsafe cipher.seal($0, associatedData: associatedData) }
    }

    private func open(_ sealed: [UInt8], _ associatedData: [[UInt8]]) -> [UInt8]? {
        guard sealed.count > AESSIV.overhead else { return nil }
        var isOpened = false
        let text = unsafe [UInt8](unsafeUninitializedCapacity: sealed.count - AESSIV.overhead) { buffer, count in
            let output = UnsafeMutableRawBufferPointer(buffer)
            let text = unsafe UnsafeMutableRawBufferPointer(rebasing: output[..<(sealed.count - AESSIV.overhead)])
            isOpened = unsafe sealed.withUnsafeBytes { sealed in
                unsafe cipher.open(sealed, associatedData: associatedData, into: text)
            }
            count = text.count
        }
        return isOpened ? text : nil
    }
}

/// The random identifier of a directory, which the sealed names in it depend on.
struct DirectoryIdentifier: Sendable, Hashable {
    static let byteCount = 16

    let bytes: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
