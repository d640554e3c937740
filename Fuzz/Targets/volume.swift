import LatchkeyCryptoSuite
import LatchkeyFileAccess
import LatchkeySecretMemory

@testable import LatchkeyVolume

/// The data beside the files of a volume: its description, with a correct checksum if the first byte says so, and the
/// names of entries, targets and attributes. Accepted data has one form alone, and data that the volume did not seal is
/// never opened.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Array(UnsafeRawBufferPointer(start: start, count: count))
    let flags = input.popLast() ?? 0
    describe(input, isRepaired: flags & 1 == 1)
    open(input)
    if let name = try? EntryName(input) { keep(name) }
    let target = Array(input.prefix(3000))
    if !target.isEmpty { precondition(seals.openTarget(seals.sealTarget(target)) == target) }
    if !input.isEmpty {
        let sealed = seals.sealAttributeValue(input, named: input, of: directory.bytes)
        precondition(seals.openAttributeValue(sealed, named: input, of: directory.bytes) == input)
        precondition(seals.openAttributeValue(sealed, named: input + [1], of: directory.bytes) == nil)
    }
    return 0
}

private func describe(_ input: [UInt8], isRepaired: Bool) {
    var bytes = input
    if isRepaired {
        bytes = Array("LKVL".utf8) + bytes + [UInt8](repeating: 0, count: VolumeDescription.byteCount)
        bytes = Array(bytes.prefix(VolumeDescription.byteCount - 16))
        bytes += sha256(bytes).prefix(16)
    }
    guard let description = try? VolumeDescription(bytes) else { return }
    let again = try? VolumeDescription(description.encoded())
    precondition(again == description, "the own bytes mean something else")
}

/// An entry of the store that another program made.
private func open(_ input: [UInt8]) {
    let name = FileName(input.prefix { $0 != 0 })
    switch StoredName.entry(name) {
    case .sealed(let sealed):
        precondition(SealedText.encode(sealed) == name.bytes, "two texts of one sealed name")
        precondition(seals.openName(sealed, in: directory) == nil, "a name that was not sealed")
    case .long(let file), .longName(let file): precondition(file.bytes.count == name.bytes.count)
    case .unfinished, .foreign: break
    }
    precondition(seals.openName(input, in: directory) == nil)
    precondition(seals.openTarget(input) == nil)
    precondition(seals.openAttributeName(input, of: directory.bytes) == nil)
    precondition(seals.openAttributeValue(input, named: [1], of: directory.bytes) == nil)
    precondition(NameSeals.targetByteCount(ofSealed: SealedText.byteCount(ofCharacters: input.count)) >= 0)
}

/// A name of a program is stored under an entry that gives it back.
private func keep(_ name: EntryName) {
    let sealed = seals.seal(name, in: directory)
    precondition(NameSeals.isSealedNameByteCount(sealed.count))
    precondition(seals.openName(sealed, in: directory) == name)
    precondition(seals.openName(sealed, in: other) == nil)
    let stored = StoredName(sealed: sealed)
    precondition(stored.entry.bytes.count <= 255)
    switch StoredName.entry(stored.entry) {
    case .sealed(let again): precondition(again == sealed && stored.longName == nil)
    case .long(let file): precondition(stored.longName?.file == file && stored.longName?.content == sealed)
    case .longName, .unfinished, .foreign: preconditionFailure("the own entry is not known")
    }
}

private let seals = NameSeals(key: SecretBox(copying: [UInt8](repeating: 7, count: 32)))

private let directory = identifier(1)
private let other = identifier(2)

private func identifier(_ byte: UInt8) -> DirectoryIdentifier {
    guard let identifier = DirectoryIdentifier([UInt8](repeating: byte, count: DirectoryIdentifier.byteCount)) else {
        preconditionFailure("an identifier has its length")
    }
    return identifier
}
