import Foundation
import Security

/// An item without a value that is stored and deleted at once: its result tells what would happen to others. No call of
/// the keychain returns the program's first group, or tells if a class is open.
struct Probe {
    /// The attribute `type` of a probe, for one that a program left behind when it ended just then.
    static let type: UInt32 = 0x7072_6F62  // prob

    let status: OSStatus
    /// The group that it was in.
    let group: String?

    /// - Parameter group: nil for the one into which items go that name none.
    init(service: String, group: String?, _ accessibility: Lockbox.Accessibility) {
        var item: [String: Any] = [
            ItemName.itemClass: ItemName.genericPassword, ItemName.service: service,
            ItemName.account: UUID().uuidString, ItemName.synchronizable: false,
        ]
        if let group { item[ItemName.accessGroup] = group }
        let new = item.merging([
            ItemName.accessible: accessibility.constant, ItemName.creator: Lockbox.creator, ItemName.type: Self.type,
            ItemName.returnAttributes: true,
        ]) { $1 }
        var added: CFTypeRef?
        status = unsafe SecItemAdd(new as CFDictionary, &added)
        self.group = (added as? [String: Any])?[ItemName.accessGroup] as? String
        guard status == errSecSuccess else { return }
        if let group = self.group { item[ItemName.accessGroup] = group }
        // One that stays does no harm: no list has it, and removeAll takes it along.
        SecItemDelete(item as CFDictionary)
    }
}
