package import ArgumentParser
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// `latchkey adopt`.
package struct AdoptCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Move items that this tool kept under former paths to the owner's group.",
        discussion: """
            The owner's items belong to the tool of the device's installation, wherever it lies. Items that an earlier \
            version, or a latchkey elsewhere, kept under the path of its file are moved to them. A latchkey that is not \
            the installation's becomes the owner's tool as well; that asks for the device passcode.
            """)

    @Flag(help: "Only show where items are, and whether this program is the owner's tool.")
    package var list = false

    @Flag(
        help: """
            Take every other latchkey back and forget former places: only that of the installation stays the owner's \
            tool, with the items that were moved.
            """)
    package var revoke = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        if list, revoke { throw ValidationError("Give --list or --revoke, not both.") }
    }

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let tool = try device.ownersTool()
        if list { return Self.listing(tool) }
        try device.requireChanges()
        if revoke {
            let count = try device.ask(RevokeTools(passcode: try passcode(device))).count
            return Report(
                count == 1
                    ? "One program is no longer the owner's tool."
                    : "\(count) programs are no longer the owner's tool.",
                json: .object([("revoked", .integer(Int64(count)))]))
        }
        guard !tool.isCaller || !tool.formerHomes.isEmpty else {
            return Report("There is nothing to adopt.", json: Self.json(Adoption(), isTool: true))
        }
        var adoption = try device.ask(AdoptTool(passcode: try passcode(device)))
        if adoption.guarded > 0 { askForGuarded(tool.formerHomes, on: device, &adoption) }
        let homes = adoption.duplicate > 0 ? try device.ownersTool().formerHomes.map(\.accessGroup) : []
        return Report(
            Self.lines(adoption, becameTool: !tool.isCaller, homes: homes).joined(separator: "\n"),
            json: Self.json(adoption, isTool: true), status: adoption.left == 0 ? .success : .partlyTransferred)
    }

    private func passcode(_ device: DeviceAccess) throws(CommandFailure) -> SecretBox? {
        try device.status().enclave.hasPasscode ? try common.secrets.passcode() : nil
    }

    /// Items that require authentication move after the user was prompted. Refused items stay.
    private func askForGuarded(_ homes: [FormerHome], on device: DeviceAccess, _ adoption: inout Adoption) {
        let group = QueryPair(.accessGroup, .string(OwnersGroup.name))
        for home in homes {
            let guarded = GuardedItems(device: device, accessGroup: home.accessGroup, changes: [group])
            for outcome in guarded.update() where adoption.guarded > 0 {
                adoption.guarded -= 1
                adoption.count(outcome)
            }
        }
    }

    /// - Parameter homes: the former groups that still have items.
    static func lines(_ adoption: Adoption, becameTool: Bool, homes: [String]) -> [String] {
        var lines: [String] = []
        if becameTool { lines.append("This latchkey is the owner's tool now, beside that of the installation.") }
        lines.append("\(ItemCount.opening(adoption.moved)) moved to the owner's group.")
        let left = [
            (adoption.locked, "locked: unlock the device, then run latchkey adopt again"),
            (adoption.guarded, "not moved, because each requires authentication"),
            (
                adoption.duplicate,
                "not moved, because the owner's group has an item of the same name. Delete one of the two, and name "
                    + "its group: "
                    + ([OwnersGroup.name] + homes.prefix(4)).map { "--access-group \($0)" }.joined(separator: " or ")
            ),
            (adoption.failed, "not moved; latchkey status says whether the device is damaged"),
        ]
        for (count, why) in left where count > 0 { lines.append("\(ItemCount.opening(count)): \(why).") }
        if adoption.left > 0 { lines.append("Items that were not moved stay in place; this tool finds them there.") }
        return lines
    }

    private static func listing(_ tool: OwnersTool) -> Report {
        let first =
            if tool.isCaller {
                "This program is the owner's tool."
            } else {
                "This program is not the owner's tool"
                    + (tool.path.map { ": that is \(PlainText.escaped($0))." } ?? ".")
            }
        let rows = tool.formerHomes.map { home in
            "\(PlainText.escaped(home.path ?? "(path not known)")): \(ItemCount.text(home.itemCount)), group \(home.accessGroup)"
        }
        return Report(
            ([first] + (rows.isEmpty ? ["No items are under former paths."] : rows)).joined(separator: "\n"),
            json: .object([
                ("isOwnersTool", .boolean(tool.isCaller)), ("ownersTool", tool.path.map(JSONValue.string) ?? .null),
                (
                    "formerPaths",
                    .array(
                        tool.formerHomes.map { home in
                            .object([
                                ("path", home.path.map(JSONValue.string) ?? .null),
                                ("accessGroup", .string(home.accessGroup)), ("items", .integer(home.itemCount)),
                            ])
                        })
                ),
            ]))
    }

    private static func json(_ adoption: Adoption, isTool: Bool) -> JSONValue {
        .object([
            ("isOwnersTool", .boolean(isTool)), ("moved", .integer(adoption.moved)),
            ("locked", .integer(adoption.locked)), ("guarded", .integer(adoption.guarded)),
            ("duplicate", .integer(adoption.duplicate)), ("failed", .integer(adoption.failed)),
        ])
    }
}

extension Adoption {
    /// Counts an item that required authentication, by its result.
    fileprivate mutating func count(_ outcome: ItemReply) {
        switch outcome.code {
        case .success: moved += 1
        case .duplicateItem: duplicate += 1
        case .interactionNotAllowed where outcome.refusal?.rule == .classKeyLocked: locked += 1
        case .interactionNotAllowed, .authFailed, .userCanceled: guarded += 1
        default: failed += 1
        }
    }
}
