import LatchkeyAccessControl
import LatchkeyBackupItems
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyPropertyListDER
import Testing

/// Reference 13.2: which items a backup takes, and to which devices. `ItemTableTests` restores them.
@Suite("Where a backup takes an item") struct ItemVerdictTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let accessible: ProtectionClass
        let isEncrypted: Bool
        let verdict: ItemVerdict

        var testDescription: String { "\(accessible.rawValue), \(isEncrypted ? "encrypted" : "in clear")" }
    }

    /// Accessibility × kind of backup. Without a password everything is bound to its device.
    static let rows: [Row] = [
        Row(accessible: .whenUnlocked, isEncrypted: true, verdict: .anyDevice),
        Row(accessible: .whenUnlocked, isEncrypted: false, verdict: .thisDevice),
        Row(accessible: .afterFirstUnlock, isEncrypted: true, verdict: .anyDevice),
        Row(accessible: .afterFirstUnlock, isEncrypted: false, verdict: .thisDevice),
        Row(accessible: .always, isEncrypted: true, verdict: .anyDevice),
        Row(accessible: .always, isEncrypted: false, verdict: .thisDevice),
        Row(accessible: .whenUnlockedThisDeviceOnly, isEncrypted: true, verdict: .thisDevice),
        Row(accessible: .whenUnlockedThisDeviceOnly, isEncrypted: false, verdict: .thisDevice),
        Row(accessible: .afterFirstUnlockThisDeviceOnly, isEncrypted: true, verdict: .thisDevice),
        Row(accessible: .afterFirstUnlockThisDeviceOnly, isEncrypted: false, verdict: .thisDevice),
        Row(accessible: .alwaysThisDeviceOnly, isEncrypted: true, verdict: .thisDevice),
        Row(accessible: .alwaysThisDeviceOnly, isEncrypted: false, verdict: .thisDevice),
        Row(accessible: .whenPasscodeSetThisDeviceOnly, isEncrypted: true, verdict: .leftOut(.passcodeSet)),
        Row(accessible: .whenPasscodeSetThisDeviceOnly, isEncrypted: false, verdict: .leftOut(.passcodeSet)),
        Row(accessible: .untilReboot, isEncrypted: true, verdict: .leftOut(.untilReboot)),
        Row(accessible: .untilReboot, isEncrypted: false, verdict: .leftOut(.untilReboot)),
    ]

    @Test("by accessibility and kind of backup", arguments: rows)
    func accessibility(_ row: Row) {
        #expect(ItemVerdict(Self.item(row.accessible), isEncrypted: row.isEncrypted) == row.verdict)
    }

    @Test("the table has every accessibility")
    func complete() {
        #expect(Set(Self.rows.map(\.accessible)) == Set(ProtectionClass.allCases))
        #expect(Self.rows.count == 2 * ProtectionClass.allCases.count)
    }

    @Test("what stays on its device stays in every class and kind", arguments: [true, false], ProtectionClass.allCases)
    func bound(_ isEncrypted: Bool, _ accessible: ProtectionClass) {
        func verdict(_ attributes: [AttributeName: PropertyValue], group: String = "group") -> ItemVerdict {
            ItemVerdict(Self.item(accessible, attributes, group: group), isEncrypted: isEncrypted)
        }
        #expect(verdict([.tokenID: .string(KeyAttributes.enclaveToken)]) == .leftOut(.enclaveKey))
        #expect(verdict([.tokenID: .string("com.example.card")]) == .leftOut(.token))
        #expect(verdict([.sharingGroup: .string("family")]) == .leftOut(.sharingGroup))
        #expect(verdict([.isSystemBound: .integer(1)]) == .leftOut(.systemBound))
        #expect(verdict([:], group: "com.apple.security.sos") == .leftOut(.systemBound))
        #expect(verdict([:], group: "lockdown-identities") == .leftOut(.systemBound))
        // Attributes that say nothing of the kind.
        #expect(verdict([.tokenID: .null, .isSystemBound: .integer(0)]) == verdict([:]))
    }

    @Test("an item that opens for a person alone is left out", arguments: [true, false])
    func accessControl(_ isEncrypted: Bool) throws {
        var item = Self.item(.whenUnlocked)
        item.accessControl = try AccessControl(protection: .whenUnlocked, flags: .userPresence)
        #expect(ItemVerdict(item, isEncrypted: isEncrypted) == .leftOut(.accessControl))
    }

    private static func item(
        _ accessible: ProtectionClass, _ attributes: [AttributeName: PropertyValue] = [:], group: String = "group"
    ) -> StoredItem {
        StoredItem(
            itemClass: .genericPassword, attributes: attributes, accessGroup: group, accessible: accessible,
            accessControl: AccessControl(protection: accessible), isSynchronizable: false, creationDate: 1,
            modificationDate: 1, identifier: [])
    }
}
