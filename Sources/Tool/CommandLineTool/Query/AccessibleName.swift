package import LatchkeyKeybag

/// The protection classes by the names that people write.
package enum AccessibleName {
    package static let table: [(name: String, keyClass: KeyClass)] = [
        ("when-unlocked", .whenUnlocked),
        ("after-first-unlock", .afterFirstUnlock),
        ("always", .always),
        ("when-unlocked-this-device-only", .whenUnlockedThisDeviceOnly),
        ("after-first-unlock-this-device-only", .afterFirstUnlockThisDeviceOnly),
        ("always-this-device-only", .alwaysThisDeviceOnly),
        ("when-passcode-set-this-device-only", .whenPasscodeSetThisDeviceOnly),
    ]

    /// The raw code (`aku`) of a readable name, a constant's name, or of itself.
    package static func code(from text: String) -> String? {
        if KeyClass(accessibleName: text) != nil { return text }
        let plain = text.lowercased().filter { $0 != "-" }
        let constants = ["", "ksecattraccessible", "attraccessible"]
        let match = table.first { row in
            let name = row.name.filter { $0 != "-" }
            return constants.contains { $0 + name == plain }
        }
        return match?.keyClass.accessibleName
    }

    /// `when-unlocked` for `ak`.
    package static func readable(_ code: String) -> String? {
        table.first { $0.keyClass.accessibleName == code }?.name
    }

    /// For messages and help.
    package static var choices: String {
        table.map { "\($0.name) (\($0.keyClass.accessibleName ?? "?"))" }.joined(separator: ", ")
    }
}
