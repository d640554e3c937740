import Foundation
import LatchkeyCodeSignature
import LatchkeyPlainText
package import LatchkeyPropertyListDER

/// The entitlements that a package's programs have on a throwaway device. They are declared and not signed: the device
/// is in the programs themselves.
package enum KitEntitlements {
    /// Stands for the team where a file leaves it open.
    package static let team = "LATCHKEYGO"

    /// Nil if the package has none and none are asked for.
    static func of(
        _ package: SwiftPackage, file: String?, groups: [String], identifier: String
    ) throws(CommandFailure) -> [String: PropertyValue]? {
        if let file { return try dictionary(file: read(file), groups: groups, identifier: identifier) }
        if let path = package.onlyEntitlements() {
            do throws(CommandFailure) {
                let found = try dictionary(file: read(path), groups: groups, identifier: identifier)
                StandardError.write("latchkey: entitlements of \(PlainText.escaped(path))\n")
                return found
            } catch {
                // They are of some target of the package, perhaps of none that runs here.
                StandardError.write(
                    "latchkey: the entitlements of \(PlainText.escaped(path)) do not count: "
                        + "\(PlainText.escaped(error.why ?? error.what))\n")
            }
        }
        return groups.isEmpty ? nil : try dictionary(file: nil, groups: groups, identifier: identifier)
    }

    private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(
                .inputUnreadable, "\(path) cannot be read.", advice: "Name the file with --entitlements.")
        }
        return [UInt8](bytes)
    }

    /// The entitlements of a file with its variables replaced, and further groups.
    package static func dictionary(
        file: [UInt8]?, groups: [String], identifier: String
    ) throws(CommandFailure) -> [String: PropertyValue] {
        var dictionary =
            try file.map { bytes throws(CommandFailure) in
                try SigningEntitlements.expanded(bytes, team: team, identifier: identifier)
            } ?? [:]
        let key = ProgramEntitlements.Key.keychainGroups
        var list: [PropertyValue] = []
        if case .array(let given)? = dictionary[key] { list = given }
        list += groups.map(PropertyValue.string)
        if !list.isEmpty { dictionary[key] = .array(list) }
        if dictionary[ProgramEntitlements.Key.application] == nil,
            dictionary[ProgramEntitlements.Key.otherApplication] == nil
        {
            dictionary[ProgramEntitlements.Key.application] = .string("\(team).\(identifier)")
        }
        do {
            _ = try ProgramEntitlements(dictionary)
        } catch {
            throw .entitlements(why: error.description)
        }
        return dictionary
    }
}
