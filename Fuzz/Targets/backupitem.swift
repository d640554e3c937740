import LatchkeyBackupItems
import LatchkeyItemModel
import LatchkeySecretMemory

/// An item of a backup: as it is sealed, and as it is written within.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(Input(start: start, count: count))
    if let blob = try? ItemBlob(input) {
        precondition(blob.bytes.count == input.count, "bytes of a sealed item are lost")
    }
    let plaintext = SecretBox(copying: input)
    _ = ItemDictionary.isTombstone(plaintext)
    for itemClass in ItemClass.allCases {
        guard let (item, secret) = try? ItemDictionary.decode(plaintext, of: itemClass) else { continue }
        let encoded = ItemDictionary.encode(item, secret: secret)
        guard let again = try? ItemDictionary.decode(encoded, of: itemClass) else {
            preconditionFailure("the own bytes are refused")
        }
        precondition(again.item.attributes == item.attributes, "the own bytes mean something else")
    }
    return 0
}
